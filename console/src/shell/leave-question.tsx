import { useBlocker } from '@tanstack/react-router'

import { componentMessages } from '../components/component-messages.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { isUnsaved } from '../components/unsaved-changes.tsx'
import { useMessages } from '../i18n/language.tsx'

/** Asks before a screen with unsaved changes is left: once, however many parts of it have some. */
export const LeaveQuestion = () => {
  const text = useMessages(componentMessages)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <ConfirmDialog
      isDangerous
      title={text('leaveTitle')}
      action={text('leave')}
      dismissal={text('stay')}
      onConfirm={() => Promise.resolve(proceed())}
      onClose={reset}
    >
      {text('leaveText')}
    </ConfirmDialog>
  )
}

import { useBlocker } from '@tanstack/react-router'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** Asks before a person leaves a screen on which something was typed that is not saved. */
export const UnsavedChanges = ({ isDirty }: { isDirty: boolean }) => {
  const text = useMessages(componentMessages)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
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

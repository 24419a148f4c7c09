import { useState } from 'react'
import { useBlocker } from '@tanstack/react-router'

import { componentMessages } from '../components/component-messages.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { discardUnsaved, isUnsaved } from '../components/unsaved-changes.tsx'
import { useMessages } from '../i18n/language.tsx'

/** Asks before a screen with unsaved changes is left: once, however many parts of it have some. */
export const LeaveQuestion = () => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  const leave = () => {
    discardUnsaved()
    proceed()
  }
  return <LeaveDialog onLeave={leave} onStay={reset} />
}

/** Asks before a part of a screen, or the whole, is left that has unsaved changes. */
export const useLeaveQuestion = () => {
  const [leave, setLeave] = useState<(() => void) | null>(null)
  const ask = (then: () => void) => {
    if (!isUnsaved()) return then()
    setLeave(() => () => {
      discardUnsaved()
      then()
    })
  }
  return {
    ask,
    question: leave && <LeaveDialog onLeave={leave} onStay={() => setLeave(null)} />,
  }
}

const LeaveDialog = ({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) => {
  const text = useMessages(componentMessages)
  return (
    <ConfirmDialog
      isDangerous
      title={text('leaveTitle')}
      action={text('leave')}
      dismissal={text('stay')}
      onConfirm={() => Promise.resolve(onLeave())}
      onClose={onStay}
    >
      {text('leaveText')}
    </ConfirmDialog>
  )
}

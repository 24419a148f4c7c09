import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { Command } from './command.tsx'
import { webhookMessages } from './webhook-messages.ts'

/** A secret, the only time that it is shown. */
export const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => {
  const text = useMessages(webhookMessages)
  return (
    <ConfirmDialog
      title={text('secretTitle')}
      action={text('done')}
      staysOpen
      onConfirm={() => Promise.resolve()}
      onClose={onClose}
    >
      <UnsavedChanges isDirty />
      <p>{text('secretText')}</p>
      <Command>{secret}</Command>
    </ConfirmDialog>
  )
}

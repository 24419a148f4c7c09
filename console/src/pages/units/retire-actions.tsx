import { useState } from 'react'

import { ActionButton } from '../../components/action-button.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { isVersionConflict, useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { MessageValues } from '../../i18n/messages.ts'
import { useExplainHeld } from './held-by.tsx'

type Text = (
  key:
    | 'archive'
    | 'archiveTitle'
    | 'archiveText'
    | 'archived'
    | 'restore'
    | 'restored'
    | 'deleteTitle'
    | 'deleteText',
  values?: MessageValues,
) => string

interface RetireActionsProps {
  record: { name: string; status: string }
  /** The words for a unit or for a space. */
  text: Text
  refusal: string | null
  /** The units that are deleted, to name what holds them. */
  unitIds: string[]
  onStatus: (status: 'archived' | 'inactive') => Promise<void>
  onDelete: () => Promise<void>
  /** Reads the record again, after a colleague has changed it. */
  reread: () => Promise<void>
}

/** Archives a unit or space, takes it back, or deletes it when nothing holds it. */
export const RetireActions = (props: RetireActionsProps) => {
  const { record, text, refusal, unitIds, onStatus, onDelete, reread } = props
  const common = useMessages(componentMessages)
  const describe = useFailureText()
  const toast = useToast()
  const explain = useExplainHeld(unitIds)
  const [asked, setAsked] = useState<'archive' | 'delete' | null>(null)
  const { name, status } = record
  const close = () => setAsked(null)

  /** Otherwise it could not be tried again: the version that was read is sent. */
  const rereadIfChanged = async (cause: unknown) => {
    if (isVersionConflict(cause)) await reread()
    throw cause
  }
  const archive = async () => {
    await onStatus('archived').catch(rereadIfChanged)
    toast({ message: text('archived', { name }) })
  }
  const restore = () =>
    onStatus('inactive')
      .catch(rereadIfChanged)
      .then(
        () => toast({ message: text('restored', { name }) }),
        (cause: unknown) => toast({ message: describe(cause) }),
      )
  const remove = async () => {
    await onDelete().catch(rereadIfChanged)
    toast({ message: common('deleted', { name }) })
  }
  return (
    <>
      {status === 'archived' ? (
        <ActionButton size="sm" refusal={refusal} onClick={restore}>
          {text('restore')}
        </ActionButton>
      ) : (
        <ActionButton size="sm" refusal={refusal} onClick={() => setAsked('archive')}>
          {text('archive')}
        </ActionButton>
      )}
      <ActionButton size="sm" refusal={refusal} onClick={() => setAsked('delete')}>
        {common('delete')}
      </ActionButton>
      {asked === 'archive' && (
        <ConfirmDialog
          title={text('archiveTitle', { name })}
          action={text('archive')}
          onConfirm={archive}
          onClose={close}
        >
          {text('archiveText')}
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          isDangerous
          title={text('deleteTitle', { name })}
          action={common('delete')}
          typed={common('deleteWord')}
          explain={explain}
          onConfirm={remove}
          onClose={close}
        >
          {text('deleteText')}
        </ConfirmDialog>
      )}
    </>
  )
}

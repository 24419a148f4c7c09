import { useState } from 'react'
import type { ReactNode } from 'react'

import { useMessages } from '../i18n/language.tsx'
import { ActionButton } from './action-button.tsx'
import { componentMessages } from './component-messages.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ProblemNote } from './problem-note.tsx'
import { Section } from './section.tsx'
import { ShowMore } from './show-more.tsx'
import type { ShowMoreProps } from './show-more.tsx'
import { useToast } from './toast.tsx'
import styles from './editable-list.module.css'

interface EditableListProps<T> {
  title: string
  /** What the button of a new record says. */
  add: string
  /** Shown while there is none. */
  none: string
  records: readonly T[] | undefined
  error: unknown
  onRetry: () => void
  /** The list, where it may have more than one page. */
  more?: ShowMoreProps['list']
  refusal: string | undefined
  /** Records that are shown here but belong elsewhere are not edited here. */
  isOwn?: (record: T) => boolean
  onDelete: (record: T) => Promise<unknown>
  /** What happens when one is deleted. */
  deleteText: string
  /** The dialog of a record, or of a new one. */
  dialog: (record: T | null, onClose: () => void) => ReactNode
  /** Further buttons of the section. */
  actions?: ReactNode
  /** What a row says after the name. */
  children: (record: T) => ReactNode
}

/** A short list of records in a section: added, edited and deleted in place. */
export const EditableList = <T extends { id: string; name: string }>(props: EditableListProps<T>) => {
  const { title, add, none, records, error, onRetry, more, refusal, isOwn } = props
  const { onDelete, deleteText, dialog, actions } = props
  const text = useMessages(componentMessages)
  const toast = useToast()
  const [edited, setEdited] = useState<{ record: T | null } | null>(null)
  const [deleted, setDeleted] = useState<T | null>(null)
  return (
    <Section
      title={title}
      actions={
        <>
          {actions}
          <ActionButton refusal={refusal ?? null} onClick={() => setEdited({ record: null })}>
            {add}
          </ActionButton>
        </>
      }
    >
      <ProblemNote failure={error} onRetry={onRetry} />
      {records?.length === 0 && <p className={styles.none}>{none}</p>}
      <ul className={styles.rows}>
        {records?.map((record) => (
          <li key={record.id}>
            <div className={styles.words}>{props.children(record)}</div>
            {(isOwn?.(record) ?? true) && (
              <div className={styles.buttons}>
                <ActionButton
                  refusal={refusal ?? null}
                  label={`${text('edit')}: ${record.name}`}
                  onClick={() => setEdited({ record })}
                >
                  {text('edit')}
                </ActionButton>
                <ActionButton
                  refusal={refusal ?? null}
                  label={`${text('delete')}: ${record.name}`}
                  onClick={() => setDeleted(record)}
                >
                  {text('delete')}
                </ActionButton>
              </div>
            )}
          </li>
        ))}
      </ul>
      {more && <ShowMore list={more} size="compact-sm" />}
      {edited && dialog(edited.record, () => setEdited(null))}
      {deleted && (
        <ConfirmDialog
          isDangerous
          title={text('deleteTitle', { name: deleted.name })}
          action={text('delete')}
          onConfirm={async () => {
            await onDelete(deleted)
            toast({ message: text('deleted', { name: deleted.name }) })
          }}
          onClose={() => setDeleted(null)}
        >
          {deleteText}
        </ConfirmDialog>
      )}
    </Section>
  )
}

import { createCalendarFeed, getCalendarFeed, updateCalendarFeed } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ChoiceField, TextField } from '../../components/form-fields.tsx'
import styles from '../../components/form.module.css'
import { useReadFields } from '../../components/read-fields.ts'
import { useRecordForm } from '../../components/record-form.ts'
import { useEditedRecord } from '../../components/use-edited-record.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useSendOnce } from '../../session/api.tsx'
import { feedMessages } from './messages.ts'

type CalendarFeed = contract.CalendarFeed

interface FeedDialogProps {
  unitId: string
  feed: CalendarFeed | null
  onSaved: () => Promise<unknown>
  onClose: () => void
}

/** The form of a calendar; the address of one that is given away is made by the service. */
export const FeedDialog = ({ unitId, feed, onSaved, onClose }: FeedDialogProps) => {
  const text = useMessages(feedMessages)
  const common = useMessages(componentMessages)
  const api = useApi()
  const sendOnce = useSendOnce()
  const readFields = useReadFields()
  const { reply, isReady, note, ...source } = useEditedRecord(getCalendarFeed, feed?.id, onSaved)
  const known = reply?.calendar_feed ?? feed
  const form = useRecordForm({
    current: {
      name: known?.name ?? '',
      direction: known?.direction ?? 'export',
      url: known?.url ?? '',
      status: known?.status === 'inactive' ? 'inactive' : 'active',
    },
    ...source,
    save: async (draft, changed, ifMatch) => {
      const isImport = draft.direction === 'import'
      const { name, url } = readFields(draft, (read) => ({
        name: read.text('name'),
        url: isImport ? read.text('url') : '',
      }))
      const address = isImport && (!feed || changed.has('url')) ? { url } : {}
      const status = changed.has('status') ? { status: draft.status as CalendarFeed['status'] } : {}
      await (feed
        ? api.send(updateCalendarFeed, {
            path: { id: feed.id },
            body: { name, ...address, ...status },
            ifMatch,
          })
        : sendOnce(createCalendarFeed, {
            body: {
              unit_id: unitId,
              direction: draft.direction,
              name,
              ...address,
            },
          }))
    },
  })
  return (
    <ConfirmDialog
      title={text(feed ? 'edit' : 'add')}
      action={common(feed ? 'save' : 'create')}
      fields={form.fields}
      isReady={isReady}
      onConfirm={form.send}
      onClose={onClose}
    >
      {note}
      <div className={styles.form}>
        <TextField
          form={form}
          name="name"
          label={text('name')}
          description={text('nameHint')}
          isWide
          autoFocus
        />
        {feed ? (
          <ChoiceField
            form={form}
            name="status"
            label={text('status')}
            isWide
            options={(['active', 'inactive'] as const).map((value) => ({ value, label: text(value) }))}
          />
        ) : (
          <ChoiceField
            form={form}
            name="direction"
            label={text('direction')}
            isWide
            options={(['export', 'import'] as const).map((value) => ({ value, label: text(value) }))}
          />
        )}
        {form.draft.direction === 'import' && (
          <TextField
            form={form}
            name="url"
            type="url"
            label={text('url')}
            description={text('urlHint')}
            maxLength={2048}
            isWide
          />
        )}
      </div>
    </ConfirmDialog>
  )
}

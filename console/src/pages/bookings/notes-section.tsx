import { Button } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useRecordForm } from '../../components/record-form.ts'
import { Section } from '../../components/section.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import styles from './booking.module.css'

interface NotesSectionProps {
  booking: contract.Booking
  etag: string | null
  onChange: (change: contract.BookingPatch) => Promise<void>
}

/** Our notes, apart from those of the channel, which nobody here can change. */
export const NotesSection = ({ booking, etag, onChange }: NotesSectionProps) => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const common = useMessages(componentMessages)
  const { may } = useCaller()
  const mayEdit = may('bookings:write')
  const form = useRecordForm({
    current: { notes: booking.notes ?? '' },
    etag,
    save: ({ notes }) => onChange({ notes: notes.trim() || null }),
  })
  const others = form.othersValue('notes')
  return (
    <Section title={text('notes')}>
      <UnsavedChanges isDirty={form.isDirty} />
      <form className={styles.form} onSubmit={form.submit}>
        <textarea
          className={styles.notes}
          aria-label={text('notes')}
          placeholder={text('notesEmpty')}
          rows={3}
          maxLength={10_000}
          readOnly={!mayEdit}
          title={mayEdit ? undefined : word('noPermission')}
          value={form.draft.notes}
          onChange={(event) => form.change({ notes: event.currentTarget.value })}
        />
        {others !== undefined && (
          <p className={styles.othersNotes} role="alert">
            {others ? common('nowIs', { value: others }) : common('nowEmpty')}
          </p>
        )}
        <ProblemNote failure={form.failure} />
        {form.isDirty && (
          <div className={styles.buttons}>
            <Button type="submit" size="compact-md" loading={form.isSaving}>
              {text('save')}
            </Button>
            <Button size="compact-md" variant="default" onClick={form.discard}>
              {text('discard')}
            </Button>
          </div>
        )}
      </form>
      {booking.pms_notes && (
        <>
          <h3 className={styles.minor}>{text('pmsNotes')}</h3>
          <p className={styles.pmsNotes}>{booking.pms_notes}</p>
        </>
      )}
    </Section>
  )
}

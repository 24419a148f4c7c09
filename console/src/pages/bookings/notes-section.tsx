import { useState } from 'react'
import type { FormEvent } from 'react'
import { Button } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import styles from './booking.module.css'

interface NotesSectionProps {
  booking: contract.Booking
  onChange: (change: contract.BookingPatch) => Promise<void>
}

/** Our notes, apart from those of the channel, which nobody here can change. */
export const NotesSection = ({ booking, onChange }: NotesSectionProps) => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const { may } = useCaller()
  const stored = booking.notes ?? ''
  const [notes, setNotes] = useState<string | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const mayEdit = may('bookings:write')
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaving(true)
    setFailure(null)
    try {
      await onChange({ notes: notes?.trim() || null })
      setNotes(null)
    } catch (cause) {
      setFailure(cause)
    }
    setSaving(false)
  }
  return (
    <Section title={text('notes')}>
      <form className={styles.form} onSubmit={(event) => void save(event)}>
        <textarea
          className={styles.notes}
          aria-label={text('notes')}
          placeholder={text('notesEmpty')}
          rows={3}
          maxLength={10_000}
          readOnly={!mayEdit}
          title={mayEdit ? undefined : word('noPermission')}
          value={notes ?? stored}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
        <ProblemNote failure={failure} />
        {notes !== null && notes !== stored && (
          <div className={styles.buttons}>
            <Button type="submit" size="compact-md" loading={isSaving}>
              {text('save')}
            </Button>
            <Button size="compact-md" variant="default" onClick={() => setNotes(null)}>
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

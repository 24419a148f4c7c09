import { useState } from 'react'
import type { FormEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import styles from './booking.module.css'

interface GuestSectionProps {
  booking: contract.Booking
  onChange: (change: contract.BookingPatch) => Promise<void>
}

/** Who comes, and how to reach them. */
export const GuestSection = ({ booking, onChange }: GuestSectionProps) => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const { may } = useCaller()
  const [isEditing, setEditing] = useState(false)
  const maySee = may('guest_contacts:read') || may('bookings:write')
  const mayEdit = may('bookings:write')
  const contact = (value: string | null, scheme: string) =>
    value ? <a href={`${scheme}:${value}`}>{value}</a> : maySee ? text('none') : text('hidden')

  return (
    <Section
      title={text('guest')}
      actions={
        !isEditing && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={!mayEdit}
            title={mayEdit ? undefined : word('noPermission')}
            onClick={() => setEditing(true)}
          >
            {text('edit')}
          </Button>
        )
      }
    >
      {isEditing ? (
        <GuestForm booking={booking} onChange={onChange} onDone={() => setEditing(false)} />
      ) : (
        <Facts>
          <Fact name={text('name')}>{booking.guestName || word('anonymous')}</Fact>
          <Fact name={text('email')}>{contact(booking.guestEmail, 'mailto')}</Fact>
          <Fact name={text('phone')}>{contact(booking.guestPhone, 'tel')}</Fact>
        </Facts>
      )}
    </Section>
  )
}

const GuestForm = ({ booking, onChange, onDone }: GuestSectionProps & { onDone: () => void }) => {
  const text = useMessages(detailMessages)
  const [guest, setGuest] = useState({
    guestName: booking.guestName,
    guestEmail: booking.guestEmail ?? '',
    guestPhone: booking.guestPhone ?? '',
  })
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const faults = fieldFaults(failure)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaving(true)
    try {
      const { guestName, guestEmail, guestPhone } = guest
      await onChange({
        guestName: guestName.trim(),
        guestEmail: guestEmail.trim() || null,
        guestPhone: guestPhone.trim() || null,
      })
      onDone()
    } catch (cause) {
      setFailure(cause)
      setSaving(false)
    }
  }
  const field = (name: keyof typeof guest, label: string, type: string) => (
    <TextInput
      label={label}
      type={type}
      value={guest[name]}
      error={faults[name]}
      data-autofocus={name === 'guestName'}
      autoFocus={name === 'guestName'}
      onChange={({ currentTarget: { value } }) => setGuest((before) => ({ ...before, [name]: value }))}
    />
  )
  return (
    <form noValidate className={styles.form} onSubmit={(event) => void save(event)}>
      {field('guestName', text('name'), 'text')}
      {field('guestEmail', text('email'), 'email')}
      {field('guestPhone', text('phone'), 'tel')}
      <ProblemNote failure={failure} fields={Object.keys(guest)} />
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={isSaving}>
          {text('save')}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          {text('discard')}
        </Button>
      </div>
    </form>
  )
}

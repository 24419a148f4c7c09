import { useEffect, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { TextField } from '../../components/form-fields.tsx'
import { FormFrame } from '../../components/form-frame.tsx'
import { useRecordForm } from '../../components/record-form.ts'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import styles from './booking.module.css'

interface GuestSectionProps {
  booking: contract.Booking
  etag: string | null
  onChange: (change: contract.BookingPatch) => Promise<void>
}

/** Who comes, and how to reach them. */
export const GuestSection = ({ booking, etag, onChange }: GuestSectionProps) => {
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
        <GuestForm booking={booking} etag={etag} onChange={onChange} onDone={() => setEditing(false)} />
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

const GuestForm = ({ booking, etag, onChange, onDone }: GuestSectionProps & { onDone: () => void }) => {
  const text = useMessages(detailMessages)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => fields.current?.querySelector('input')?.focus(), [])
  const form = useRecordForm({
    current: {
      guestName: booking.guestName,
      guestEmail: booking.guestEmail ?? '',
      guestPhone: booking.guestPhone ?? '',
    },
    etag,
    save: async ({ guestName, guestEmail, guestPhone }, changed) => {
      await onChange({
        ...(changed.has('guestName') && { guestName: guestName.trim() }),
        ...(changed.has('guestEmail') && { guestEmail: guestEmail.trim() || null }),
        ...(changed.has('guestPhone') && { guestPhone: guestPhone.trim() || null }),
      })
      onDone()
    },
  })
  return (
    <FormFrame
      form={form}
      buttons={
        <div className={styles.buttons}>
          <Button type="submit" size="xs" loading={form.isSaving}>
            {text('save')}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            {text('discard')}
          </Button>
        </div>
      }
    >
      <div ref={fields} className={styles.form}>
        <TextField form={form} name="guestName" label={text('name')} />
        <TextField form={form} name="guestEmail" label={text('email')} type="email" />
        <TextField form={form} name="guestPhone" label={text('phone')} type="tel" />
      </div>
    </FormFrame>
  )
}

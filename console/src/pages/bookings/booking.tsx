import { useState } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { dayOf, todayIn } from '../calendar/nights.ts'
import { useSpace } from '../spaces/use-space.ts'
import { useUnit } from '../units/use-unit.ts'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import { BookingStatus } from './booking-status.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { GuestSection } from './guest-section.tsx'
import { isEarly } from './is-early.ts'
import { MoveDialog } from './move-dialog.tsx'
import { NotesSection } from './notes-section.tsx'
import { PaymentsSection } from './payments-section.tsx'
import { PriceSection } from './price-section.tsx'
import { StaySection } from './stay-section.tsx'
import { TimelineSection } from './timeline-section.tsx'
import { useBooking, useChangeBooking } from './use-booking.ts'
import styles from './booking.module.css'

const route = getRouteApi('/bookings/$bookingId')

/** One booking: all that is known of it, and all that can be done with it. */
export const BookingPage = () => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const { bookingId } = route.useParams()
  const { data, error, refetch } = useBooking(bookingId)
  // Of 20,000 units, the list is 200 requests.
  const isRead = data !== undefined
  const unit = useUnit(data?.booking.unitId ?? '', isRead).data?.unit
  const space = useSpace(data?.booking.spaceId ?? '', isRead).data?.space
  const change = useChangeBooking(bookingId, data?.etag ?? null)
  const booking = data?.booking
  const timeZone = space?.timezone
  const back = { link: { to: '/bookings' }, place: text('bookings') } as const

  if (!booking)
    return (
      <Page title={text('booking')} back={back}>
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page
      readError={error}
      title={booking.guestName || word('anonymous')}
      summary={<BookingStatus status={booking.status} />}
      back={back}
      actions={<Actions booking={booking} timeZone={timeZone} onChange={change} />}
    >
      <div className={styles.columns}>
        <div>
          <StaySection booking={booking} unit={unit} space={space} />
          <PriceSection booking={booking} />
          <PaymentsSection booking={booking} timeZone={timeZone} />
        </div>
        <div>
          <GuestSection booking={booking} etag={data.etag} onChange={change} />
          <NotesSection booking={booking} etag={data.etag} onChange={change} />
          <TimelineSection booking={booking} timeZone={timeZone} />
        </div>
      </div>
    </Page>
  )
}

type Status = contract.Booking['status']

interface NextStep {
  status: Status
  label: 'confirm' | 'checkIn' | 'checkOut'
}

/** The next step of a stay. */
const nextSteps: Partial<Record<Status, NextStep>> = {
  pending: { status: 'confirmed', label: 'confirm' },
  confirmed: { status: 'checked_in', label: 'checkIn' },
  checked_in: { status: 'checked_out', label: 'checkOut' },
}

interface ActionsProps {
  booking: contract.Booking
  timeZone: string | undefined
  onChange: (change: contract.BookingPatch) => Promise<void>
}

const Actions = ({ booking, timeZone, onChange }: ActionsProps) => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const describe = useFailureText()
  const format = useFormat()
  const toast = useToast()
  const { may } = useCaller()
  const [dialog, setDialog] = useState<'move' | 'cancel' | 'noShow' | null>(null)
  // The step that is asked about: the booking has another next step as soon as it is done.
  const [early, setEarly] = useState<NextStep | null>(null)
  const [isRunning, setRunning] = useState(false)
  const { status } = booking
  const next = nextSteps[status]
  // Nobody arrives, or fails to, before the day of the arrival; who comes early can still be checked in.
  const isDue = dayOf(booking.arrival) <= todayIn(timeZone)
  const mayWrite = may('bookings:write')
  const control = { disabled: !mayWrite, title: mayWrite ? undefined : word('noPermission') }
  const close = () => setDialog(null)

  const take = async (to: Status) => {
    setRunning(true)
    try {
      await onChange({ status: to })
      toast({ message: text('changed') })
    } catch (failure) {
      toast({ message: describe(failure) })
    }
    setRunning(false)
  }
  return (
    <>
      {next && (
        <Button
          {...control}
          variant={status === 'confirmed' && !isDue ? 'default' : 'filled'}
          loading={isRunning}
          onClick={() => (isEarly(booking, next.status, timeZone) ? setEarly(next) : void take(next.status))}
        >
          {text(next.label)}
        </Button>
      )}
      {next && (
        <Button {...control} variant="default" onClick={() => setDialog('move')}>
          {text('move')}
        </Button>
      )}
      {status === 'confirmed' && isDue && (
        <Button {...control} variant="default" onClick={() => setDialog('noShow')}>
          {text('noShow')}
        </Button>
      )}
      {(status === 'confirmed' || status === 'pending') && (
        <Button {...control} variant="default" onClick={() => setDialog('cancel')}>
          {text('cancel')}
        </Button>
      )}
      {dialog === 'move' && <MoveDialog booking={booking} onChange={onChange} onClose={close} />}
      {dialog === 'cancel' && <CancelDialog booking={booking} onChange={onChange} onClose={close} />}
      {early && (
        <ConfirmDialog
          title={text(early.label === 'checkIn' ? 'earlyInTitle' : 'earlyOutTitle')}
          action={text(early.label)}
          onConfirm={() => onChange({ status: early.status })}
          onClose={() => setEarly(null)}
        >
          <p>
            {early.label === 'checkIn'
              ? text('earlyInText', { date: format.longDate(booking.arrival) })
              : text('earlyOutText', { date: format.longDate(booking.departure) })}
          </p>
        </ConfirmDialog>
      )}
      {dialog === 'noShow' && (
        <ConfirmDialog
          title={text('noShowTitle')}
          action={text('noShow')}
          isDangerous
          onConfirm={() => onChange({ status: 'no_show' })}
          onClose={close}
        >
          <p>{text('noShowText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

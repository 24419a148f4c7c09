import { Link } from '@tanstack/react-router'
import type { contract, Space, Unit } from '@vacancy/client'

import { Fact, Facts, Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { bookingMessages } from './booking-messages.ts'
import { useChannelOf } from './use-places.ts'

interface StaySectionProps {
  booking: contract.Booking
  /** Undefined until they are read. */
  unit: Unit | undefined
  space: Space | undefined
}

/** When, where, for how many, and where it was booked. Times are those of the property. */
export const StaySection = ({ booking, unit, space }: StaySectionProps) => {
  const text = useMessages(detailMessages)
  const word = useMessages(bookingMessages)
  const format = useFormat()
  const { arrival, departure, checkIn, checkOut, nights, guests, rooms, cancellationReason } = booking
  const { channelOf } = useChannelOf()
  const timeZone = space?.timezone
  const reason = cancellationReason === 'no_show' ? 'reason_no_show' : cancellationReason
  return (
    <Section
      title={text('stay')}
      actions={
        <Link to="/calendar" search={{ from: arrival, ...(unit && { q: unit.name, unit: unit.id }) }}>
          {text('calendar')}
        </Link>
      }
    >
      <Facts>
        <Fact name={text('arrival')} note={format.time(checkIn, timeZone)}>
          {format.longDate(arrival)}
        </Fact>
        <Fact name={text('departure')} note={format.time(checkOut, timeZone)}>
          {format.longDate(departure)}
        </Fact>
        <Fact name={text('nights')}>{format.number(nights)}</Fact>
        <Fact name={text('unit')} note={space?.name}>
          {unit?.name}
        </Fact>
        <Fact name={text('guests')} note={rooms > 1 && word('rooms', { count: rooms })}>
          {format.number(guests)}
        </Fact>
        <Fact name={text('channel')} note={booking.externalId}>
          {channelOf(booking)}
        </Fact>
        <Fact name={text('bookedAt')}>{format.dayTime(booking.createdAt, timeZone)}</Fact>
        {booking.holdExpiresAt && (
          <Fact name={text('holdUntil')}>{format.dayTime(booking.holdExpiresAt, timeZone)}</Fact>
        )}
        {booking.cancelledAt && (
          <Fact name={text('cancelledAt')} note={reason && word(reason)}>
            {format.dayTime(booking.cancelledAt, timeZone)}
          </Fact>
        )}
      </Facts>
    </Section>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { listBookings, listChannelListings, Problem } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { unitMessages } from './messages.ts'

interface Held {
  listings: string[]
  bookings: string[]
  listing_count: number
  booking_count: number
}

/** What keeps a unit or space from being deleted, when that is why it was refused. */
const heldBy = (failure: unknown): Held | null =>
  failure instanceof Problem && failure.code === 'resource-in-use'
    ? ((failure.members['held_by'] as Held | undefined) ?? null)
    : null

/** Explains a refused deletion with links to what has to go first; null for any other failure. */
export const useExplainHeld = (unitIds: string[]) => (failure: unknown) => {
  const held = heldBy(failure)
  return held && <HeldBy held={held} unitIds={unitIds} />
}

const HeldBy = ({ held, unitIds }: { held: Held; unitIds: string[] }) => {
  const text = useMessages(unitMessages)
  const format = useFormat()
  const api = useApi()
  const { listings: listingIds, bookings: bookingIds, listing_count, booking_count } = held
  const { data: listings } = useQuery({
    queryKey: [listChannelListings.path, 'holding', ...listingIds],
    queryFn: async ({ signal }) =>
      (await api.send(listChannelListings, { query: { unit_id: unitIds, limit: 100 }, signal }))
        .channel_listings,
    enabled: listingIds.length > 0 && unitIds.length > 0,
  })
  const { data: bookings } = useQuery({
    queryKey: [listBookings.path, 'holding', ...bookingIds],
    queryFn: async ({ signal }) =>
      (await api.send(listBookings, { query: { id: bookingIds, sort: 'check_in' }, signal })).bookings,
    enabled: bookingIds.length > 0,
  })
  return (
    <div role="alert">
      <p>
        <strong>{text('heldTitle')}</strong>
      </p>
      {listing_count > 0 && (
        <>
          <p>{text('heldListings', { count: listing_count })}</p>
          <ul>
            {listingIds.map((id) => (
              <li key={id}>
                <Link to="/listings/$listingId" params={{ listingId: id }} search={{}}>
                  {listings?.find((one) => one.id === id)?.channel_target.name ?? text('listings')}
                </Link>
              </li>
            ))}
            <More count={listing_count - listingIds.length} />
          </ul>
        </>
      )}
      {booking_count > 0 && (
        <>
          <p>{text('heldBookings', { count: booking_count })}</p>
          <ul>
            {bookingIds.map((id) => {
              const booking = bookings?.find((one) => one.id === id)
              return (
                <li key={id}>
                  <Link to="/bookings/$bookingId" params={{ bookingId: id }}>
                    {booking?.guestName || text('booking')}
                  </Link>{' '}
                  {booking && format.shortDate(booking.arrival)}
                </li>
              )
            })}
            <More count={booking_count - bookingIds.length} />
          </ul>
        </>
      )}
      <p>{text('heldArchive')}</p>
    </div>
  )
}

const More = ({ count }: { count: number }) => {
  const text = useMessages(unitMessages)
  return count > 0 ? <li>{text('heldMore', { count })}</li> : null
}

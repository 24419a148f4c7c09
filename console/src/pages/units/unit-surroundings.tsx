import { Link } from '@tanstack/react-router'
import type { Space, Unit } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { SyncError } from '../../components/sync-error.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { countryName } from '../../i18n/places.ts'
import { stateOf } from '../../live/sync-state.ts'
import { useStatuses } from '../../live/sync-statuses.ts'
import { useCaller } from '../../session/api.tsx'
import { BookingStatus } from '../bookings/booking-status.tsx'
import { unitMessages } from './messages.ts'
import { useListingsOf, useNextBookings } from './use-unit.ts'
import styles from './unit.module.css'

/** The space of a unit: its address and its time zone. */
export const WhereSection = ({ space }: { space: Space }) => {
  const text = useMessages(unitMessages)
  const { address, zip, city, state, country } = space
  const { locale } = useFormat()
  const lines = [
    address,
    [zip, city].filter(Boolean).join(' '),
    state,
    country && countryName(country, locale),
  ]
  return (
    <Section title={text('where')}>
      <Facts>
        <Fact name={text('space')}>
          <Link to="/spaces/$spaceId" params={{ spaceId: space.id }}>
            {space.name}
          </Link>
        </Fact>
        <Fact name={text('address')}>{lines.filter(Boolean).join(', ') || '–'}</Fact>
        <Fact name={text('timeZone')}>{space.timezone}</Fact>
      </Facts>
    </Section>
  )
}

/** Where a unit is sold, each with its sync state. */
export const ListingsSection = ({ unit }: { unit: Unit }) => {
  const text = useMessages(unitMessages)
  const { statuses } = useStatuses({ unit_id: [unit.id] })
  const { data: listings, error, refetch } = useListingsOf(unit.id)
  return (
    <Section title={text('listings')}>
      <ProblemNote failure={error} onRetry={() => void refetch()} />
      {listings?.length === 0 && (
        <p className={styles.hint}>
          {text('noListings')} <Link to="/channels">{text('link')}</Link>
        </p>
      )}
      <ul className={styles.rows}>
        {listings?.map((listing) => {
          const status = statuses?.[listing.id]
          const syncedAt = status?.last_synced_at ?? listing.last_synced_at
          const state = stateOf(listing, status)
          return (
            <li key={listing.id}>
              <Link to="/listings/$listingId" params={{ listingId: listing.id }} search={{}}>
                {listing.channel_target.name}
              </Link>
              <span className={styles.when}>
                {syncedAt ? (
                  <RelativeTime at={syncedAt} timeZone={unit.space.timezone} />
                ) : (
                  text('neverSynced')
                )}
              </span>
              <StateBadge state={state} />
              {status?.error_message && state === 'failed' && (
                <span className={styles.error}>
                  <SyncError
                    code={status.error_code}
                    message={status.error_message}
                    target={listing.channel_target.name}
                  />
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** Who is in the unit, and who comes next. */
export const BookingsSection = ({ unit }: { unit: Unit }) => {
  const text = useMessages(unitMessages)
  const format = useFormat()
  const { may } = useCaller()
  const { data: bookings, error, refetch } = useNextBookings(unit.id, unit.space.timezone)
  if (!may('bookings:read')) return null
  return (
    <Section
      title={text('bookings')}
      actions={
        <ButtonLink to="/bookings" search={{ unit: unit.id }} size="compact-sm" variant="default">
          {text('allBookings')}
        </ButtonLink>
      }
    >
      <ProblemNote failure={error} onRetry={() => void refetch()} />
      {bookings?.length === 0 && <p className={styles.hint}>{text('noBookings')}</p>}
      <ul className={styles.rows}>
        {bookings?.map(({ id, guestName, arrival, departure, status }) => (
          <li key={id}>
            <Link to="/bookings/$bookingId" params={{ bookingId: id }}>
              {guestName || text('booking')}
            </Link>
            <span className={styles.when}>
              {format.shortDate(arrival)} – {format.shortDate(departure)}
            </span>
            <BookingStatus status={status} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

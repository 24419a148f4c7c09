import { Type, type Static, type TSchema } from 'typebox'
import { semanticError } from '#errors.ts'
import { Currency, Day, Id, Timestamp, nullable, oneOf, text } from '#fields.ts'
import { dateOf, nightOf } from '#nights.ts'
import { bookingSources, bookingStatuses, type BookingStatus } from '../bookings/booking.ts'

/** Stays that were sold. One that the guest did not turn up for was, too: its room was kept. */
export const soldStatuses: readonly BookingStatus[] = ['confirmed', 'checked_in', 'checked_out', 'no_show']

const many = Number.MAX_SAFE_INTEGER
const Whole = Type.Integer({ minimum: 0, maximum: many, format: 'int64' })
const Money = Type.Integer({ minimum: 0, maximum: many, format: 'int64', description: 'In minor units.' })
const saying = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })
const Share = (description: string) => nullable(Type.Number({ minimum: 0, maximum: many, description }))
const Adr = nullable(saying(Money, 'Revenue for each room night that was sold.'))
const Revpar = nullable(saying(Money, 'Revenue for each room night that could be sold.'))
const Occupancy = Share(
  'Room nights sold, of those that could be: over 1 when more was sold than there is now.',
)

const AnalyticsDay = Type.Object(
  {
    date: Day,
    nights: Whole,
    available_nights: Whole,
    occupancy_rate: Occupancy,
    revenue_cents: Money,
    adr_cents: Adr,
    revpar_cents: Revpar,
  },
  { title: 'AnalyticsDay' },
)

const AnalyticsChannel = Type.Object(
  {
    source: oneOf(...bookingSources),
    channel_target_id: nullable(Id),
    name: text(255, 'Of the target; else the source.'),
    bookings: Whole,
    nights: Whole,
    revenue_cents: Money,
  },
  { title: 'AnalyticsChannel' },
)

/** The figures of a period. What has another currency than the organization stands in `revenue` alone. */
export const Analytics = Type.Object(
  {
    period: Type.Object({ from: Day, to: Day }, { description: 'Nights, both included.' }),
    spaces: Type.Object({ total: Whole, active: Whole }),
    units: Type.Object({ total: Whole, active: Whole }),
    bookings: Type.Object({
      total: saying(Whole, 'Stays with a night in the period, whatever their status.'),
      by_status: Type.Partial(
        Type.Object(
          Object.fromEntries(bookingStatuses.map((status) => [status, Whole])) as Record<
            BookingStatus,
            typeof Whole
          >,
        ),
      ),
      nights: saying(
        Whole,
        'Room nights in the period that were sold: confirmed, checked in or out, or not turned up for.',
      ),
      available_nights: saying(
        Whole,
        'Rooms of active units for each night, without those blocked; as units are today.',
      ),
      revenue_cents: saying(
        Money,
        'Of those nights. The total of a stay is spread evenly over its nights, what does not divide on the first.',
      ),
      currency: Currency,
      adr_cents: Adr,
      revpar_cents: Revpar,
      occupancy_rate: Occupancy,
    }),
    revenue: Type.Array(
      Type.Object({ currency: Currency, nights: Whole, revenue_cents: Money, adr_cents: Adr }),
      { maxItems: 400, description: 'By currency, that of the organization first.' },
    ),
    by_day: Type.Array(AnalyticsDay, { maxItems: 731 }),
    by_channel: Type.Array(AnalyticsChannel, { maxItems: 100_000, description: 'The largest first.' }),
    sync: Type.Object({
      listings: Whole,
      in_sync: Whole,
      stale: Whole,
      error: Whole,
      jobs: Type.Object(
        { completed: Whole, failed: Whole },
        { description: 'Pushes that ended in the period, of the latest 100,000.' },
      ),
      success_rate: Share('Completed, of all that ended.'),
      p95_latency_ms: nullable(Whole),
      oldest_pending_seconds: nullable(Whole),
    }),
    webhooks: Type.Object(
      { received: Whole, rejected: Whole, duplicates: Whole },
      { description: 'Messages of PMSs in the period; kept for 30 days. `rejected` could not be processed.' },
    ),
    generated_at: Timestamp,
  },
  { title: 'Analytics' },
)
export type Analytics = Static<typeof Analytics>

export const AnalyticsQuery = {
  from: Type.Optional(saying(Day, 'First night; 30 nights before the end when absent.')),
  to: Type.Optional(saying(Day, 'Last night, included; today when absent.')),
  account_id: Type.Optional(Id),
  space_id: Type.Optional(Id),
  unit_id: Type.Optional(Id),
}

export interface Period {
  readonly from: string
  readonly to: string
}

/** The organization, or a part of it. */
export interface Part {
  readonly account_id?: string
  readonly space_id?: string
  readonly unit_id?: string
}

const usualNights = 30
const mostNights = 731
/** No day is later; none is earlier than night 0. */
const lastNight = nightOf('2200-12-31')

/** @throws Invalid when it ends before it begins, or is longer than two years. */
export function periodOf({ from, to }: Partial<Period>, today: string): Period {
  const last = to ? nightOf(to) : from ? Math.min(nightOf(from) + usualNights - 1, lastNight) : nightOf(today)
  const first = from ? nightOf(from) : Math.max(last - usualNights + 1, 0)
  if (last < first) throw semanticError('to', 'The period must not end before it begins.')
  if (last - first >= mostNights)
    throw semanticError('to', `A period has ${mostNights} nights at most.`, 'too_large')
  return { from: dateOf(first), to: dateOf(last) }
}

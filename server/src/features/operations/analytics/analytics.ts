import { Type, type Static, type TSchema } from 'typebox'
import { semanticError } from '#errors.ts'
import { Currency, Day, Id, Timestamp, nullable, oneOf, text } from '#schema/fields.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import {
  bookingSources,
  bookingStatuses,
  type BookingStatus,
} from '#features/reservations/bookings/booking.ts'

/** The statuses of sold stays. A no-show counts, because its room was kept. */
export const soldStatuses: readonly BookingStatus[] = ['confirmed', 'checked_in', 'checked_out', 'no_show']

const maxInteger = Number.MAX_SAFE_INTEGER
const Count = Type.Integer({ minimum: 0, maximum: maxInteger, format: 'int64' })
const Money = Type.Integer({
  minimum: 0,
  maximum: maxInteger,
  format: 'int64',
  description: 'In minor units.',
})
const withDescription = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })
const Ratio = (description: string) => nullable(Type.Number({ minimum: 0, maximum: maxInteger, description }))
const Adr = nullable(withDescription(Money, 'Average daily rate: revenue per sold room night.'))
const Revpar = nullable(withDescription(Money, 'Revenue per available room night.'))
const Occupancy = Ratio(
  'Sold room nights divided by available ones. Over 1 when more were sold than exist now.',
)

const AnalyticsDay = Type.Object(
  {
    date: Day,
    nights: Count,
    available_nights: Count,
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
    name: text(255, 'Name of the target, else the source.'),
    bookings: Count,
    nights: Count,
    revenue_cents: Money,
  },
  { title: 'AnalyticsChannel' },
)

/** The figures of a period. Amounts in other currencies than that of the organization are in `revenue` only. */
export const Analytics = Type.Object(
  {
    period: Type.Object({ from: Day, to: Day }, { description: 'Nights, both inclusive.' }),
    spaces: Type.Object({ total: Count, active: Count }),
    units: Type.Object({ total: Count, active: Count }),
    bookings: Type.Object({
      total: withDescription(Count, 'Stays with a night in the period, in any status.'),
      by_status: Type.Partial(
        Type.Object(
          Object.fromEntries(bookingStatuses.map((status) => [status, Count])) as Record<
            BookingStatus,
            typeof Count
          >,
        ),
      ),
      nights: withDescription(
        Count,
        'Room nights in the period that were sold: confirmed, checked in or out, or no-shows.',
      ),
      available_nights: withDescription(
        Count,
        'Rooms of active units per night without blocked ones, as units are today.',
      ),
      revenue_cents: withDescription(
        Money,
        'Revenue of those nights. The total of a stay is divided evenly by its nights; the remainder counts for the first night.',
      ),
      currency: Currency,
      adr_cents: Adr,
      revpar_cents: Revpar,
      occupancy_rate: Occupancy,
    }),
    revenue: Type.Array(
      Type.Object({ currency: Currency, nights: Count, revenue_cents: Money, adr_cents: Adr }),
      { maxItems: 400, description: 'By currency, the currency of the organization first.' },
    ),
    by_day: Type.Array(AnalyticsDay, { maxItems: 731 }),
    by_channel: Type.Array(AnalyticsChannel, { maxItems: 100_000, description: 'Largest revenue first.' }),
    sync: Type.Object({
      listings: Count,
      in_sync: Count,
      stale: Count,
      error: Count,
      jobs: Type.Object(
        { completed: Count, failed: Count },
        { description: 'Pushes that ended in the period, at most the latest 100,000.' },
      ),
      success_rate: Ratio('Completed pushes divided by ended ones.'),
      p95_latency_ms: nullable(Count),
      oldest_pending_seconds: nullable(Count),
    }),
    webhooks: Type.Object(
      { received: Count, rejected: Count, duplicates: Count },
      {
        description:
          'Messages of PMSs in the period, which are kept for 30 days. `rejected` ones could not be processed.',
      },
    ),
    generated_at: Timestamp,
  },
  { title: 'Analytics' },
)
export type Analytics = Static<typeof Analytics>

export const AnalyticsQuery = {
  from: Type.Optional(withDescription(Day, 'First night. By default 30 nights before the end.')),
  to: Type.Optional(withDescription(Day, 'Last night, inclusive. By default today.')),
  account_id: Type.Optional(Id),
  space_id: Type.Optional(Id),
  unit_id: Type.Optional(Id),
}

export interface Period {
  readonly from: string
  readonly to: string
}

/** Narrows the figures to a part of the organization. */
export interface AnalyticsFilter {
  readonly account_id?: string
  readonly space_id?: string
  readonly unit_id?: string
}

const defaultNights = 30
const maxNights = 731
/** The last supported day; the first is night 0. */
const lastNight = nightOf('2200-12-31')

/** @throws Invalid when the period ends before it begins, or is longer than two years */
export function parsePeriod({ from, to }: Partial<Period>, today: string): Period {
  const last = to
    ? nightOf(to)
    : from
      ? Math.min(nightOf(from) + defaultNights - 1, lastNight)
      : nightOf(today)
  const first = from ? nightOf(from) : Math.max(last - defaultNights + 1, 0)
  if (last < first) throw semanticError('to', 'to must not be before from.')
  if (last - first >= maxNights)
    throw semanticError('to', `A period can have at most ${maxNights} nights.`, 'too_large')
  return { from: dateOf(first), to: dateOf(last) }
}

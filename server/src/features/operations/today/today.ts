import { Type, type TSchema } from 'typebox'
import { Currency, Day, Id, Timestamp, TimeZone, nullable, oneOf, text, whole } from '#schema/fields.ts'
import { Alert } from '#features/messaging/alerts/alert.ts'
import { SyncFailures } from '#features/distribution/sync/api/sync-failure.ts'
import { BookingConflict } from '#features/distribution/pms-bookings/booking-conflict.ts'
import { bookingSources, bookingStatuses } from '#features/reservations/bookings/booking.ts'
import { overdueDays, paidBeforeDays } from '#features/reservations/bookings/today-filter.ts'

/** The maximum number of records in each section, which counts all of them. */
export const maxShown = 10

const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' })

const stay = {
  id: Id,
  status: oneOf(...bookingStatuses),
  guest_name: text(255, 'Name of the guest.'),
  guests: whole('Number of guests.'),
  rooms: whole('How many rooms of the unit.'),
  unit_id: Id,
  unit_name: text(255, 'Name of the unit.'),
  space_id: Id,
  space_name: text(255, 'Name of the space.'),
  timezone: TimeZone,
  arrival: { ...Day, description: 'The first night, a local date of the space.' },
  departure: { ...Day, description: 'The day after the last night, a local date of the space.' },
  check_in: { ...Timestamp, description: 'When the guest may arrive.' },
  check_out: { ...Timestamp, description: 'When the guest departs.' },
  source: oneOf(...bookingSources),
  channel_target_id: nullable({ ...Id, description: 'The channel, when it was made elsewhere.' }),
  total_cents: { ...Cents, description: 'Price of the stay, in minor units of the currency.' },
  currency: Currency,
}

const TodayStay = Type.Object(stay, { title: 'TodayStay' })
const UnpaidStay = Type.Object(
  {
    ...stay,
    paid_cents: { ...Cents, description: 'Received and not refunded, in minor units of the currency.' },
    due_cents: { ...Cents, description: 'What is left to pay, in minor units of the currency.' },
  },
  { title: 'UnpaidStay' },
)

const { id, reason, message, hint, unit_id, booking_id, channel_target_id, calendar_feed_id, created_at } =
  BookingConflict.properties
const unit_name = nullable(text(255, 'Name of the unit.'))
const OpenConflict = Type.Object(
  {
    id,
    reason,
    message,
    hint,
    unit_id,
    unit_name,
    booking_id,
    channel_target_id,
    calendar_feed_id,
    created_at,
  },
  { title: 'OpenConflict' },
)

const shown = (record: TSchema, description: string) =>
  Type.Array(record, { maxItems: maxShown, description: `${description} The first ${maxShown}.` })

/** A section that the caller may not read is null. */
const optional = (schema: TSchema, description: string) =>
  Type.Unsafe<unknown>({ ...schema, nullable: true, description })

export const Today = Type.Object(
  {
    arrivals: Type.Object(
      {
        count: whole('Stays that begin today.'),
        done: whole('How many of them have checked in.'),
        bookings: shown(TodayStay, 'By time of arrival.'),
      },
      { title: 'TodayArrivals' },
    ),
    departures: Type.Object(
      {
        count: whole('Stays that end today.'),
        done: whole('How many of them have checked out.'),
        bookings: shown(TodayStay, 'By time of departure.'),
      },
      { title: 'TodayDepartures' },
    ),
    in_house: Type.Object(
      {
        count: whole('Current stays.'),
        guests: whole('The number of these guests.'),
        bookings: shown(TodayStay, 'By time of departure.'),
      },
      {
        title: 'TodayInHouse',
        description:
          'Checked in and not checked out, and confirmed stays that began before today and end after it.',
      },
    ),
    unpaid: optional(
      Type.Object(
        {
          count: whole('Stays that are not paid in full.'),
          overdue: whole('How many of them began before today.'),
          bookings: shown(UnpaidStay, 'By day of arrival.'),
        },
        { title: 'TodayUnpaid' },
      ),
      `Stays that arrive within ${paidBeforeDays} days or arrived within the last ${overdueDays}. Bookings of a PMS count only when a payment was requested here, because channels collect their own payments. Null without \`payments:read\`.`,
    ),
    conflicts: Type.Object(
      {
        count: whole('Booking conflicts that are open.'),
        booking_conflicts: shown(OpenConflict, 'The newest first.'),
      },
      { title: 'TodayConflicts' },
    ),
    alerts: optional(
      Type.Object(
        { count: whole('Alerts that are open.'), alerts: shown(Alert, 'The newest first.') },
        { title: 'TodayAlerts' },
      ),
      'What is wrong beside the conflicts and the failing listings, which are counted there. Null without `sync:read`.',
    ),
    sync_failures: optional(SyncFailures, 'Failing listings by cause. Null without `sync:read`.'),
    sales_stops: optional(whole('Sales stops that are in force.'), 'Null without `sync:read`.'),
    setup: Type.Object(
      {
        units: Type.Boolean({ description: 'Whether there is a unit.' }),
        channel_targets: Type.Boolean({ description: 'Whether a PMS is connected.' }),
        channel_listings: Type.Boolean({ description: 'Whether a unit is linked to a room of a PMS.' }),
        synced: Type.Boolean({ description: 'Whether a listing has reached its PMS.' }),
      },
      { title: 'TodaySetup', description: 'What the organization has done of what it takes to sell.' },
    ),
    generated_at: Timestamp,
  },
  {
    title: 'Today',
    description: 'The tasks of today. Today is the local date of each space.',
  },
)

/** What a caller may read beside the bookings. */
export interface TodayAccess {
  readonly payments: boolean
  readonly sync: boolean
  /** Kinds of alerts that only admins read. */
  readonly hiddenAlertKinds: readonly string[]
}

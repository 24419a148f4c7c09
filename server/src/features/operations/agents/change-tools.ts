import { Type } from 'typebox'
import { Count, Day, Id, oneOf, text } from '#schema/fields.ts'
import { weekdays } from '#features/inventory/calendar/days.ts'
import { cancellationReasons } from '#features/reservations/bookings/booking.ts'
import { Rejected, type Api } from './api.ts'
import { optional, type ChangeTool, type Values } from './tool.ts'

const Nights = Count(1, 999)

/** What a booking can be changed to, as its members in the API are called. */
const bookingMembers = {
  unit_id: 'unitId',
  check_in: 'checkIn',
  check_out: 'checkOut',
  guests: 'guests',
  rooms: 'rooms',
  guest_name: 'guestName',
  guest_email: 'guestEmail',
  guest_phone: 'guestPhone',
  notes: 'notes',
  status: 'status',
} as const
const ofStay = ['unitId', 'checkIn', 'checkOut', 'guests', 'rooms']

const asBooking = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(bookingMembers).flatMap(([name, member]) =>
      values[name] === undefined ? [] : [[member, values[name]]],
    ),
  )

const guest = {
  guest_email: optional(text(254), 'E-mail address of the guest.'),
  guest_phone: optional(text(64), 'Phone number of the guest.'),
  notes: optional(text(10_000), 'Notes for colleagues.'),
}

export const changeTools: readonly ChangeTool[] = [
  {
    name: 'change_calendar',
    title: 'Change nights',
    description:
      'Sets prices, restrictions or blocked rooms of the nights of units. Members that are left out stay as they are.',
    isDestructive: false,
    operation: 'POST /api/v1/calendar',
    input: {
      unit_ids: Type.Array(Id, { minItems: 1, maxItems: 50, description: 'The units.' }),
      from: { ...Day, description: 'The first night.' },
      to: { ...Day, description: 'The last night.' },
      weekdays: optional(Type.Array(oneOf(...weekdays), { minItems: 1, maxItems: 7 }), 'Only these nights.'),
      price_cents: optional(Count(0, 2_147_483_647), 'Price of a night in minor units.'),
      price_percent: optional(
        Type.Number({ minimum: -99, maximum: 1_000 }),
        'Adds this to the current prices.',
      ),
      min_stay_arrival: optional(Nights, 'Minimum nights of stays that arrive.'),
      max_stay: optional(Nights, 'Maximum nights of stays that arrive.'),
      closed_to_arrival: optional(Type.Boolean(), 'Whether no stay may begin.'),
      closed_to_departure: optional(Type.Boolean(), 'Whether no stay may end.'),
      stop_sell: optional(Type.Boolean(), 'Whether the nights cannot be booked.'),
      blocked: optional(Count(0, 10_000), 'Rooms taken out of sale.'),
      reason: optional(text(255), 'Why rooms are blocked.'),
    },
    preview: (api, values) =>
      api('POST', '/calendar', { body: { ...calendarChange(values), dry_run: true } }),
    apply: (api, values, _preview, key) =>
      api('POST', '/calendar', { body: calendarChange(values), ...once(key) }),
  },
  {
    name: 'create_booking',
    title: 'Take a booking',
    description: 'Books a unit for the price that find_availability shows. The nights are sold at once.',
    isDestructive: false,
    operation: 'POST /api/v1/bookings',
    input: {
      unit_id: { ...Id, description: 'The unit.' },
      check_in: { ...Day, description: 'The day of arrival.' },
      check_out: { ...Day, description: 'The day of departure.' },
      guests: Count(1, 10_000),
      rooms: optional(Count(1, 10_000), 'Equal rooms of the unit (1).'),
      guest_name: text(255, 'Name of the guest.', 1),
      ...guest,
    },
    preview: previewStay,
    async apply(api, values, preview, key) {
      const { rate_plan_id: ratePlanId, total_cents: totalCents, currency } = preview as StayPreview
      return await api('POST', '/bookings', {
        body: { ...asBooking(values), ratePlanId, totalCents, currency },
        ...once(key),
      })
    },
  },
  {
    name: 'change_booking',
    title: 'Change a booking',
    description: 'Moves a stay, or changes its guests, notes or status (confirm, check in, check out).',
    isDestructive: false,
    input: {
      booking_id: { ...Id, description: 'The booking.' },
      unit_id: optional(Id, 'Move to this unit.'),
      check_in: optional(Day, 'New day of arrival.'),
      check_out: optional(Day, 'New day of departure.'),
      guests: optional(Count(1, 10_000), 'New number of guests.'),
      rooms: optional(Count(1, 10_000), 'New number of rooms.'),
      guest_name: optional(text(255, undefined, 1), 'New name of the guest.'),
      status: optional(oneOf('confirmed', 'checked_in', 'checked_out', 'no_show'), 'New status.'),
      ...guest,
    },
    async preview(api, values) {
      const after = asBooking(values)
      const { booking } = (await api('GET', `/bookings/${String(values['booking_id'])}`)) as BookingAnswer
      const stay = Object.fromEntries(Object.entries(after).filter(([member]) => ofStay.includes(member)))
      const before = Object.fromEntries(Object.keys(after).map((member) => [member, booking[member]]))
      return {
        booking: { id: booking['id'], guestName: booking['guestName'], version: booking['updatedAt'] },
        before,
        after,
        ...(Object.keys(stay).length > 0 && {
          stay: await api('POST', `/bookings/${String(booking['id'])}/preview`, { body: stay }),
        }),
      }
    },
    apply: (api, values) =>
      api('PATCH', `/bookings/${String(values['booking_id'])}`, { body: asBooking(values) }),
  },
  {
    name: 'cancel_booking',
    title: 'Cancel a booking',
    description: 'Cancels a booking and frees its nights. The preview shows what the policy refunds.',
    isDestructive: true,
    input: {
      booking_id: { ...Id, description: 'The booking.' },
      reason: { ...oneOf(...cancellationReasons), description: 'Why it is cancelled.' },
    },
    preview: (api, { booking_id, reason }) =>
      api('GET', `/bookings/${String(booking_id)}/cancellation`, { query: { reason } }),
    apply: (api, { booking_id, reason }) =>
      api('PATCH', `/bookings/${String(booking_id)}`, {
        body: { status: 'cancelled', cancellationReason: reason },
      }),
  },
  {
    name: 'retry_failed_pushes',
    title: 'Retry failed pushes',
    description: 'Pushes all listings again that fail with one cause of list_sync_failures.',
    isDestructive: false,
    operation: 'POST /api/v1/sync/failures/:id/retry',
    input: { cause_id: { ...Id, description: 'The id of the cause in list_sync_failures.' } },
    async preview(api, { cause_id }) {
      const path = `/sync/failures/${String(cause_id)}/listings`
      const answer = (await api('GET', path, { query: { limit: 100 } })) as FailingListings
      const { failing_listings, has_more } = answer
      const listings = failing_listings.map(({ channel_listing_id, unit_name }) => ({
        channel_listing_id,
        unit_name,
      }))
      return { listings, has_more }
    },
    apply: (api, { cause_id }, _preview, key) =>
      api('POST', `/sync/failures/${String(cause_id)}/retry`, once(key)),
  },
  {
    name: 'stop_sales',
    title: 'Stop sales',
    description:
      'Closes all nights of a unit, a space or the whole organization at every channel at once, until resume_sales.',
    isDestructive: true,
    operation: 'POST /api/v1/sales-stops',
    input: {
      unit_id: optional(Id, 'Only this unit.'),
      space_id: optional(Id, 'Only this space.'),
      channel_target_id: optional(Id, 'Only at this connection.'),
      reason: optional(text(1_000), 'Why sales are stopped.'),
    },
    preview: (api, { reason: _reason, ...covered }) => api('GET', '/sales-stops/preview', { query: covered }),
    apply: (api, values, _preview, key) => api('POST', '/sales-stops', { body: values, ...once(key) }),
  },
  {
    name: 'resume_sales',
    title: 'Resume sales',
    description: 'Lifts one sales stop. Nights open again as they were before it.',
    isDestructive: true,
    input: { sales_stop_id: { ...Id, description: 'The sales stop.' } },
    preview: (api, { sales_stop_id }) => api('GET', `/sales-stops/${String(sales_stop_id)}`),
    apply: (api, { sales_stop_id }) => api('DELETE', `/sales-stops/${String(sales_stop_id)}`),
  },
]

const once = (key: string) => ({ headers: { 'idempotency-key': key } })

function calendarChange({ unit_ids, from, to, ...values }: Values): { values: object[] } {
  return {
    values: (unit_ids as string[]).map((unit_id) => ({ unit_id, date_from: from, date_to: to, ...values })),
  }
}

interface BookingAnswer {
  readonly booking: Record<string, unknown>
}

interface FailingListings {
  readonly failing_listings: readonly Record<'channel_listing_id' | 'unit_name', string>[]
  readonly has_more: boolean
}

interface StayPreview {
  readonly name: string
  readonly space_name: string
  /** The plan with the price. */
  readonly rate_plan_id: string
  readonly nights: number
  readonly currency: string
  readonly total_cents: number
}

/** What is booked, and for how much. @throws Rejected when the stay cannot be booked */
async function previewStay(
  api: Api,
  { unit_id, check_in, check_out, guests, rooms }: Values,
): Promise<StayPreview> {
  const query = { unit_id, from: check_in, to: check_out, guests, rooms }
  const { availability } = (await api('GET', '/availability', { query })) as { availability: StayPreview[] }
  const [unit] = availability
  if (!unit) throw new Rejected({ detail: 'The unit cannot be booked for this stay.' })
  const { name, space_name, rate_plan_id, nights, currency, total_cents } = unit
  return { name, space_name, rate_plan_id, nights, currency, total_cents }
}

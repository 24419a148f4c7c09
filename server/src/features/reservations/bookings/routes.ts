import { Type } from 'typebox'
import { Forbidden } from '#errors.ts'
import { Day, Id, oneOf, text, assertSameIdentity } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { canSeeContacts } from '#http/permissions.ts'
import {
  updateSchema,
  createdReply,
  createSchema,
  sendList,
  listSchema,
  deleteSchema,
  sendRecord,
  getSchema,
} from '#http/replies.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { addBooking } from './add-booking.ts'
import {
  Booking,
  BookingInput,
  BookingPatch,
  Moment,
  bookingSources,
  bookingStatuses,
  cancellationReasons,
  type BookingOptions,
  redactContacts,
  alternativeAreas,
  type AlternativeArea,
} from './booking.ts'
import { changeBooking, removeBooking, replaceBooking } from './change-booking.ts'
import { listBookings } from './list-bookings.ts'
import { bookingJson, findBooking } from './queries.ts'
import { withAliases, replaceAliases, replaceQueryAliases } from './aliases.ts'
import { todaySets, type TodaySet } from './today-filter.ts'
import { pickWritable } from './writable-members.ts'

const tag = 'bookings'
const bound = Type.Optional({
  ...Moment,
  description: 'A local date of the space, or a point in time. Included.',
})
/** The filters of the list and of the export, in both spellings. */
export const bookingFilters = withAliases({
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'check_in', 'createdAt', 'updatedAt', 'checkIn'),
  q: Type.Optional(text(255, 'Part of the name of the guest.')),
  id: anyOf(Id),
  account_id: anyOf(Id),
  space_id: anyOf(Id),
  unit_id: anyOf(Id),
  rate_plan_id: anyOf(Id),
  quote_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  external_id: anyOf(text(255, 'Its id at the PMS.')),
  guest_email: anyOf(text(254, 'The whole e-mail address, in any case.')),
  guest_phone: anyOf(text(64, 'The whole phone number; only its digits are compared.')),
  status: anyOf(oneOf(...bookingStatuses)),
  source: anyOf(oneOf(...bookingSources)),
  cancellation_reason: anyOf(oneOf(...cancellationReasons)),
  arrival: anyOf(Day),
  departure: anyOf(Day),
  check_in_from: bound,
  check_in_to: bound,
  check_out_from: bound,
  check_out_to: bound,
  unpaid: Type.Optional(
    Type.Boolean({
      description:
        'true for confirmed, current and completed stays that are not paid in full; needs `payments:read`. Bookings of a PMS count only when a payment was requested here.',
    }),
  ),
  today: Type.Optional(
    Type.Unsafe<TodaySet>({
      ...oneOf(...todaySets),
      description:
        'The stays that `GET /today` counts under this name. Today is the local date of each space; `unpaid` needs `payments:read`.',
    }),
  ),
})

const conflictQuery = Type.Object(
  withAliases({
    alternatives_within: Type.Optional(
      Type.Unsafe<AlternativeArea>({
        ...oneOf(...alternativeAreas),
        description: 'Where to search alternatives to a refused stay; by default the `city` of its space.',
      }),
    ),
  }),
)

const buildOptions = ({
  caller,
  query,
  body,
}: {
  caller: Caller
  query: unknown
  body: object
}): BookingOptions => ({
  alternativesWithin: (query as { alternatives_within?: AlternativeArea }).alternatives_within,
  mayBePast: caller.permissions.has('bookings:import'),
  readOnlyInput: body as Record<string, unknown>,
})

export const bookingRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    // Before validation: the body may use snake_case names, as everywhere else in the API.
    app.addHook('preValidation', async (request) => {
      request.body = replaceAliases(request.body)
    })
    // After validation, so that errors name the parameters as they were sent.
    app.addHook('preHandler', async (request) => {
      request.query = replaceQueryAliases(request.query as object)
    })

    app.get(
      '/bookings',
      { schema: listSchema(tag, 'bookings', Booking, bookingFilters) },
      async (request, reply) => {
        assertMayFilter(request.caller, request.query)
        const page = pageRequest(request, cursorKeys)
        const rows = await listBookings(request.scope, request.query, page)
        const filterContacts = contactFilter(request.caller)
        return sendList(request, reply, 'bookings', page, rows, (row) => filterContacts(bookingJson(row)))
      },
    )

    app.get('/bookings/:id', { schema: getSchema(tag, 'booking', Booking) }, async (request, reply) => {
      const { json, version } = await findBooking(request.scope, request.params.id)
      return sendRecord(request, reply, 'booking', { json: contactFilter(request.caller)(json), version })
    })

    app.post(
      '/bookings',
      { schema: { ...createSchema(tag, 'booking', Booking, BookingInput), querystring: conflictQuery } },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          assertSameIdentity(scope, request.body)
          const booking = await addBooking(scope, pickWritable(request.body), buildOptions(request))
          return createdReply('booking', '/api/v1/bookings', booking.id, booking)
        }),
    )

    app.put(
      '/bookings/:id',
      { schema: { ...updateSchema(tag, 'booking', Booking, BookingInput), querystring: conflictQuery } },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        assertSameIdentity(scope, body, params.id)
        const options = buildOptions(request)
        const booking = await replaceBooking(
          scope,
          params.id,
          headers['if-match'],
          pickWritable(body),
          options,
        )
        return sendRecord(request, reply, 'booking', booking)
      },
    )

    app.patch(
      '/bookings/:id',
      {
        schema: {
          ...updateSchema(tag, 'booking', Booking, BookingPatch, 'Update a booking'),
          querystring: conflictQuery,
        },
      },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        assertSameIdentity(scope, body, params.id)
        const booking = await changeBooking(
          scope,
          params.id,
          headers['if-match'],
          pickWritable(body),
          buildOptions(request),
        )
        return sendRecord(request, reply, 'booking', booking)
      },
    )

    app.delete('/bookings/:id', { schema: deleteSchema(tag, 'booking') }, async (request, reply) => {
      await removeBooking(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })
  }

const contactFilter = ({ permissions }: Caller) =>
  canSeeContacts(permissions) ? (booking: string) => booking : redactContacts

/** A filter reveals contacts of guests, and payments, so it needs the permission to read them. @throws Forbidden */
export function assertMayFilter(
  { permissions }: Caller,
  query: { guest_email?: unknown; guest_phone?: unknown; unpaid?: unknown; today?: TodaySet },
): void {
  if ((query.unpaid !== undefined || query.today === 'unpaid') && !permissions.has('payments:read'))
    throw new Forbidden('Filtering by unpaid needs the permission payments:read.')
  const filtersContacts = query.guest_email !== undefined || query.guest_phone !== undefined
  if (filtersContacts && !canSeeContacts(permissions))
    throw new Forbidden('Filtering by guest_email or guest_phone needs the permission guest_contacts:read.')
}

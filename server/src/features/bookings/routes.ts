import { Type } from 'typebox'
import { Forbidden } from '#errors.ts'
import { Day, Id, oneOf, text } from '#fields.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { maySeeContacts } from '#http/permissions.ts'
import { changes, created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
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
} from './booking.ts'
import { changeBooking, removeBooking, replaceBooking } from './change-booking.ts'
import { withoutContacts } from './guest-contacts.ts'
import { listBookings } from './list-queries.ts'
import { bookingText, findBooking } from './queries.ts'
import { inBothSpellings, respelled, respelledQuery } from './spelling.ts'
import { alternativeAreas, type AlternativeArea } from './conflict-queries.ts'
import { toldBy } from './told.ts'

const tag = 'bookings'
const bound = (description: string) => Type.Optional({ ...Moment, description: `${description} Included.` })
const query = inBothSpellings({
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'check_in', 'createdAt', 'updatedAt', 'checkIn'),
  q: Type.Optional(text(255, 'Part of the name of the guest.')),
  account_id: anyOf(Id),
  space_id: anyOf(Id),
  unit_id: anyOf(Id),
  rate_plan_id: anyOf(Id),
  quote_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  external_id: anyOf(text(255, 'Its id at the PMS.')),
  guest_email: anyOf(text(254, 'The whole address, in whatever case.')),
  guest_phone: anyOf(text(64, 'The whole number; only its digits count.')),
  status: anyOf(oneOf(...bookingStatuses)),
  source: anyOf(oneOf(...bookingSources)),
  cancellation_reason: anyOf(oneOf(...cancellationReasons)),
  arrival: anyOf(Day),
  departure: anyOf(Day),
  check_in_from: bound('A day where the space is, or a point in time.'),
  check_in_to: bound('A day where the space is, or a point in time.'),
  check_out_from: bound('A day where the space is, or a point in time.'),
  check_out_to: bound('A day where the space is, or a point in time.'),
})

const conflictQuery = Type.Object(
  inBothSpellings({
    alternatives_within: Type.Optional(
      Type.Unsafe<AlternativeArea>({
        ...oneOf(...alternativeAreas),
        description:
          'Where the alternatives to a stay that is refused may lie; `city`, that of its space, by default.',
      }),
    ),
  }),
)

const optionsOf = ({
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
  repeated: body as Record<string, unknown>,
})

export const bookingRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    // Before the body is validated: the rest of the interface is spelled in snake_case, and so may bookings be.
    app.addHook('preValidation', async (request) => {
      request.body = respelled(request.body)
    })
    // After it is validated: what is wrong is named as it was sent.
    app.addHook('preHandler', async (request) => {
      request.query = respelledQuery(request.query as object)
    })

    app.get('/bookings', { schema: lists(tag, 'bookings', Booking, query) }, async (request, reply) => {
      assertMayFilter(request.caller, request.query)
      const page = pageRequest(request, cursorKey)
      const rows = await listBookings(request.scope, request.query, page)
      const shown = shownTo(request.caller)
      return list(request, reply, 'bookings', page, rows, (row) => shown(bookingText(row)))
    })

    app.get('/bookings/:id', { schema: shows(tag, 'booking', Booking) }, async (request, reply) => {
      const { json, version } = await findBooking(request.scope, request.params.id)
      return show(request, reply, 'booking', { json: shownTo(request.caller)(json), version })
    })

    app.post(
      '/bookings',
      { schema: { ...creates(tag, 'booking', Booking, BookingInput), querystring: conflictQuery } },
      (request, reply) =>
        once(request, reply, async (scope) => {
          refuseForeignIdentity(scope, request.body)
          const booking = await addBooking(scope, toldBy(request.body), optionsOf(request))
          return created('booking', '/api/v1/bookings', booking.id, booking)
        }),
    )

    app.put(
      '/bookings/:id',
      { schema: { ...changes(tag, 'booking', Booking, BookingInput), querystring: conflictQuery } },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const options = optionsOf(request)
        const booking = await replaceBooking(scope, params.id, headers['if-match'], toldBy(body), options)
        return show(request, reply, 'booking', booking)
      },
    )

    app.patch(
      '/bookings/:id',
      {
        schema: {
          ...changes(tag, 'booking', Booking, BookingPatch, 'Change parts of a booking'),
          querystring: conflictQuery,
        },
      },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const booking = await changeBooking(
          scope,
          params.id,
          headers['if-match'],
          toldBy(body),
          optionsOf(request),
        )
        return show(request, reply, 'booking', booking)
      },
    )

    app.delete('/bookings/:id', { schema: removes(tag, 'booking') }, async (request, reply) => {
      await removeBooking(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })
  }

const shownTo = ({ permissions }: Caller) =>
  maySeeContacts(permissions) ? (booking: string) => booking : withoutContacts

/** A filter tells whether a guest has an address or a number, so it takes the permission that shows them. */
function assertMayFilter(
  { permissions }: Caller,
  query: { guest_email?: unknown; guest_phone?: unknown },
): void {
  const filtersContacts = query.guest_email !== undefined || query.guest_phone !== undefined
  if (filtersContacts && !maySeeContacts(permissions))
    throw new Forbidden('Filtering by guest_email or guest_phone needs the permission guest_contacts:read.')
}

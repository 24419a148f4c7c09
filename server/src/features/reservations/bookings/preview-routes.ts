import { Type } from 'typebox'
import { Count, Currency, Day, Id, nullable } from '#schema/fields.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { Amount } from '#features/inventory/pricing/stay-price.ts'
import { replaceAliases } from './aliases.ts'
import { BookingPatch } from './booking.ts'
import { previewChange } from './change-booking.ts'

const { unitId, ratePlanId, checkIn, checkOut, guests, rooms } = BookingPatch.properties

const BookingPreviewInput = Type.Object(
  { unitId, ratePlanId, checkIn, checkOut, guests, rooms },
  {
    title: 'BookingPreviewInput',
    additionalProperties: false,
    example: { checkIn: '2030-07-02', checkOut: '2030-07-05' },
  },
)

const BookingPreview = Type.Object(
  {
    unitId: Id,
    ratePlanId: nullable({ ...Id, description: 'The plan that it would be sold by.' }),
    arrival: { ...Day, description: 'The first night, where the space is.' },
    departure: { ...Day, description: 'The day after the last night, where the space is.' },
    nights: Count(1, 100_000),
    guests: Count(1, 10_000),
    rooms: Count(1, 10_000),
    currency: { ...Currency, description: 'Of the calculated price: that of the unit.' },
    calculatedCents: { ...Amount, description: 'The price by the calendar and the charges.' },
    currentCents: { ...Amount, description: 'The price that the booking has now.' },
    currentCurrency: { ...Currency, description: 'The currency that the booking has now.' },
  },
  { title: 'BookingPreview' },
)

export const bookingPreviewRoutes: Routes = async (app) => {
  app.addHook('preValidation', async (request) => {
    request.body = replaceAliases(request.body, BookingPreviewInput)
  })

  app.post(
    '/bookings/:id/preview',
    {
      schema: {
        tags: ['bookings'],
        summary: 'Check a change of the stay',
        description:
          'Answers with the price of the changed stay by the calendar, or refuses as the change itself would be refused. Nothing is changed.',
        params: Type.Object({ id: Id }),
        body: BookingPreviewInput,
        response: { 200: jsonText(Type.Object({ preview: BookingPreview })) },
      },
    },
    async ({ scope, params, body, caller }) => {
      const options = { mayBePast: caller.permissions.has('bookings:import') }
      const { before, after, calculatedCents } = await previewChange(scope, params.id, body, options)
      const { unitId, ratePlanId, arrival, departure, nights, guests, rooms, currency } = after
      return {
        preview: {
          ...{ unitId, ratePlanId, arrival, departure, nights, guests, rooms, currency },
          calculatedCents,
          currentCents: before.totalCents,
          currentCurrency: before.currency,
        },
      }
    },
  )
}

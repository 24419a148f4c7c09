import { Type, type Static } from 'typebox'
import type { Fault } from '#errors.ts'
import { Cents, Count, Day, Id, Timestamp, nullable, oneOf, text } from '#fields.ts'
import { termNames } from '#outside/pms/pms.ts'
import { nightOf } from '#nights.ts'
import { weekdays } from './days.ts'

export const mostValues = 1_000
/** Three years and a little: what anybody plans. */
export const mostNightsOfValue = 1_100
export const mostNights = 200_000

const Stay = Count(1, 999)
const back = 'Null returns to the default.'

/** What is decided for one night of one plan, as far as it is named. */
const terms = {
  price_cents: Type.Optional(nullable({ ...Cents, description: `Minor units for a night. ${back}` })),
  min_stay_arrival: Type.Optional(
    nullable({ ...Stay, description: `Nights of a stay that arrives. ${back}` }),
  ),
  min_stay_through: Type.Optional(nullable({ ...Stay, description: `Nights of a stay over it. ${back}` })),
  max_stay: Type.Optional(nullable({ ...Stay, description: `Nights of a stay that arrives. ${back}` })),
  closed_to_arrival: Type.Optional(nullable(Type.Boolean())),
  closed_to_departure: Type.Optional(nullable(Type.Boolean())),
  stop_sell: Type.Optional(nullable(Type.Boolean())),
}

export const CalendarValue = Type.Object(
  {
    unit_id: Id,
    rate_plan_id: Type.Optional({ ...Id, description: 'The default plan of the unit when left out.' }),
    date_from: Day,
    date_to: { ...Day, description: 'The last night, included.' },
    weekdays: Type.Optional(
      Type.Array(oneOf(...weekdays), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'Only nights that begin on these days.',
      }),
    ),
    ...terms,
    blocked: Type.Optional(nullable({ ...Count(0, 10_000), description: 'Rooms taken out of sale.' })),
    reason: Type.Optional(nullable(text(255, 'Why they are taken out.'))),
  },
  {
    title: 'CalendarValue',
    additionalProperties: false,
    example: {
      unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f',
      date_from: '2030-07-01',
      date_to: '2030-07-31',
      weekdays: ['fri', 'sat'],
      price_cents: 18_900,
    },
  },
)
export type CalendarValue = Static<typeof CalendarValue>

export const CalendarChangeInput = Type.Object(
  { values: Type.Array(CalendarValue, { minItems: 1, maxItems: mostValues }) },
  {
    title: 'CalendarChangeInput',
    example: {
      values: [
        {
          unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f',
          date_from: '2030-07-01',
          date_to: '2030-07-31',
          weekdays: ['fri', 'sat'],
          price_cents: 18_900,
        },
      ],
    },
    additionalProperties: false,
  },
)

const Whole = Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32' })

/** What one change came to. */
export const CalendarChange = Type.Object(
  {
    id: { ...Id, description: 'Also the id of its entry in the sync audit.' },
    values: { ...Whole, description: 'Range values that were sent.' },
    nights: { ...Whole, description: 'Nights that they decide: of plans, and of units for blocks.' },
    listings: { ...Whole, description: 'Listings that the PMS hears about.' },
    created_at: Timestamp,
  },
  { title: 'CalendarChange' },
)
export type CalendarChange = Static<typeof CalendarChange>

export const termsOf = (value: CalendarValue) => termNames.filter((name) => value[name] !== undefined)

/** What is wrong with a value by itself. */
export function faultsOfValue(value: CalendarValue, at: number): Fault[] {
  const faults: Fault[] = []
  const fault = (member: string, message: string) =>
    faults.push({ pointer: `/values/${at}${member}`, code: 'invalid', message })
  const length = nightOf(value.date_to) - nightOf(value.date_from) + 1
  if (length < 1) fault('/date_to', 'date_to must not be before date_from.')
  if (length > mostNightsOfValue) fault('/date_to', `A value may span ${mostNightsOfValue} nights at most.`)
  if (termsOf(value).length === 0 && value.blocked === undefined)
    fault('', 'A value must decide something: a price, a term of stay, a closure or blocked rooms.')
  if (value.reason !== undefined && value.blocked === undefined)
    fault('/reason', 'A reason is kept with blocked rooms only.')
  for (const name of ['min_stay_arrival', 'min_stay_through'] as const)
    if ((value[name] ?? 1) > (value.max_stay ?? Infinity))
      fault(`/${name}`, `${name} is longer than max_stay.`)
  return faults
}

import { Type, type Static } from 'typebox'
import type { FieldError } from '#errors.ts'
import { Cents, Count, Day, Id, nullable, oneOf, text } from '#schema/fields.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { nightOf } from '#schema/nights.ts'
import { weekdays } from './days.ts'

const maxValues = 1_000
/** A little more than three years. */
const maxNightsOfValue = 1_100
export const maxNights = 200_000

const Stay = Count(1, 999)
const back = 'Null returns to the default.'

/** The values of one night of one plan; omitted members stay. */
const terms = {
  price_cents: Type.Optional(nullable({ ...Cents, description: `Minor units for a night. ${back}` })),
  min_stay_arrival: Type.Optional(
    nullable({ ...Stay, description: `Minimum length of stays that arrive. ${back}` }),
  ),
  min_stay_through: Type.Optional(
    nullable({ ...Stay, description: `Minimum length of stays that include the night. ${back}` }),
  ),
  max_stay: Type.Optional(nullable({ ...Stay, description: `Maximum length of stays that arrive. ${back}` })),
  closed_to_arrival: Type.Optional(nullable(Type.Boolean())),
  closed_to_departure: Type.Optional(nullable(Type.Boolean())),
  stop_sell: Type.Optional(nullable(Type.Boolean())),
}

export const CalendarValue = Type.Object(
  {
    unit_id: Id,
    rate_plan_id: Type.Optional({ ...Id, description: 'By default the default plan of the unit.' }),
    date_from: Day,
    date_to: { ...Day, description: 'The last night, inclusive.' },
    weekdays: Type.Optional(
      Type.Array(oneOf(...weekdays), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'Only nights that begin on these days.',
      }),
    ),
    ...terms,
    price_percent: Type.Optional(
      Type.Number({
        minimum: -99,
        maximum: 1_000,
        description: 'Instead of a price: a percentage to add to the current price of a night.',
      }),
    ),
    price_delta_cents: Type.Optional(
      Type.Integer({
        minimum: -2_147_483_647,
        maximum: 2_147_483_647,
        format: 'int32',
        description: 'Instead of a price: minor units to add to the current price of a night.',
      }),
    ),
    round_to_cents: Type.Optional({
      ...Count(1, 10_000_000),
      description: 'Rounds the derived price to the nearest multiple of this; half is rounded up.',
    }),
    round_ending_cents: Type.Optional({
      ...Count(0, 9_999_999),
      description: 'What the rounded price ends with: 99 with `round_to_cents` of 100 gives 119.99.',
    }),
    blocked: Type.Optional(nullable({ ...Count(0, 10_000), description: 'Rooms taken out of sale.' })),
    reason: Type.Optional(nullable(text(255, 'Why they are blocked.'))),
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

export const DryRun = Type.Boolean({
  description: 'Writes nothing, and returns a preview of the change.',
})

export const CalendarChangeInput = Type.Object(
  {
    values: Type.Array(CalendarValue, { minItems: 1, maxItems: maxValues }),
    dry_run: Type.Optional(DryRun),
  },
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

/** The alternatives to name a price; a value has at most one. */
const priceMembers = ['price_cents', 'price_percent', 'price_delta_cents'] as const

export const priceMemberOf = (value: CalendarValue) => priceMembers.find((name) => value[name] !== undefined)

export const termsOf = (value: CalendarValue) =>
  termNames.filter((name) => (name === 'price_cents' ? priceMemberOf(value) : value[name] !== undefined))

/** The errors of a value, without comparing it with stored data. */
export function errorsOfValue(value: CalendarValue, at: number): FieldError[] {
  const errors: FieldError[] = []
  const add = (member: string, message: string) =>
    errors.push({ pointer: `/values/${at}${member}`, code: 'invalid', message })
  const length = nightOf(value.date_to) - nightOf(value.date_from) + 1
  if (length < 1) add('/date_to', 'date_to must not be before date_from.')
  if (length > maxNightsOfValue) add('/date_to', `A value may cover at most ${maxNightsOfValue} nights.`)
  if (termsOf(value).length === 0 && value.blocked === undefined)
    add('', 'A value must have a price, a restriction or blocked rooms.')
  const [, second] = priceMembers.filter((name) => value[name] !== undefined)
  if (second) add(`/${second}`, 'A value may name a price in one way only.')
  const { round_to_cents: step, round_ending_cents: ending } = value
  const isDerived = value.price_percent !== undefined || value.price_delta_cents !== undefined
  if (step !== undefined && !isDerived)
    add('/round_to_cents', 'Only a price from price_percent or price_delta_cents is rounded.')
  if (ending !== undefined && ending >= (step ?? 0))
    add('/round_ending_cents', 'round_ending_cents must be less than round_to_cents.')
  if (value.reason !== undefined && value.blocked === undefined)
    add('/reason', 'A reason is allowed only with blocked rooms.')
  for (const name of ['min_stay_arrival', 'min_stay_through'] as const)
    if ((value[name] ?? 1) > (value.max_stay ?? Infinity)) add(`/${name}`, `${name} is longer than max_stay.`)
  return errors
}

import { Type, type Static } from 'typebox'
import { Invalid, semanticError } from '#errors.ts'
import { Id, Name, readOnlyFields, timestampFields } from '#schema/fields.ts'
import { CalendarValue, DryRun, errorsOfValue } from '#features/inventory/calendar/calendar-change.ts'
import { Years } from '#features/inventory/calendar/copy.ts'

export const maxUnits = 2_000

const {
  unit_id: _unit,
  rate_plan_id: _plan,
  blocked: _blocked,
  reason: _reason,
  ...members
} = CalendarValue.properties

export const SeasonValue = Type.Object(members, {
  title: 'SeasonValue',
  additionalProperties: false,
  description: 'A value of a calendar change, without the unit.',
  example: { date_from: '2030-07-01', date_to: '2030-08-31', price_percent: 25, min_stay_arrival: 3 },
})
export type SeasonValue = Static<typeof SeasonValue>

const values = Type.Array(SeasonValue, { minItems: 1, maxItems: 50 })

export const Season = Type.Object(
  { id: Id, org_id: Id, name: Name, values, ...timestampFields },
  {
    title: 'Season',
    description: 'A named set of values for the calendar. It changes no night until it is applied to units.',
  },
)

export const SeasonInput = Type.Object(
  { name: Name, values, ...readOnlyFields('id', 'org_id', 'created_at', 'updated_at') },
  {
    title: 'SeasonInput',
    additionalProperties: false,
    example: {
      name: 'Summer 2030',
      values: [{ date_from: '2030-07-01', date_to: '2030-08-31', price_percent: 25, min_stay_arrival: 3 }],
    },
  },
)
export type SeasonInput = Static<typeof SeasonInput>

const Units = Type.Array(Id, { minItems: 1, maxItems: maxUnits, uniqueItems: true })

export const SeasonApplication = Type.Object(
  {
    unit_ids: Type.Optional({ ...Units, description: 'These units.' }),
    space_ids: Type.Optional({
      ...Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }),
      description: 'The units of these spaces.',
    }),
    all: Type.Optional(Type.Boolean({ description: 'Every unit.' })),
    years: Type.Optional(Years),
    dry_run: Type.Optional(DryRun),
  },
  {
    title: 'SeasonApplication',
    additionalProperties: false,
    description: `Selects units by exactly one member. Archived units of spaces are omitted; at most ${maxUnits.toLocaleString('en')} units.`,
    example: { all: true },
  },
)
export type SeasonApplication = Static<typeof SeasonApplication>

/** Validates each value by itself. @throws Invalid */
export function assertValues(input: SeasonInput): void {
  const errors = input.values.flatMap((value, at) => errorsOfValue({ ...value, unit_id: '' }, at))
  if (errors.length > 0) throw new Invalid('semantic-error', errors)
}

/** @throws Invalid */
export function assertOneSelection({ unit_ids, space_ids, all }: SeasonApplication): void {
  if ([unit_ids, space_ids, all || undefined].filter((given) => given !== undefined).length !== 1)
    throw semanticError('unit_ids', 'Name the units with one of unit_ids, space_ids and all.', 'required')
}

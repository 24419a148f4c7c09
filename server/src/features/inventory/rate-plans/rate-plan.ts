import { Type, type Static } from 'typebox'
import { Conflict, semanticError } from '#errors.ts'
import { Currency, Id, Name, readOnlyFields, oneOf, ownedFields, timestampFields } from '#schema/fields.ts'

const mealPlans = ['none', 'breakfast', 'half_board', 'full_board', 'all_inclusive'] as const
export const planStatuses = ['active', 'inactive', 'archived'] as const

const editable = {
  name: Name,
  currency: Currency,
  meal_plan: oneOf(...mealPlans),
  is_default: Type.Boolean({ description: 'Whether this plan is used when a request names none.' }),
  status: oneOf(...planStatuses),
}

/** One way to sell a unit: its own prices and terms, night by night. */
export const RatePlan = Type.Object(
  { ...ownedFields, unit_id: Id, ...editable, ...timestampFields },
  {
    title: 'RatePlan',
    description: 'Every unit has one default plan. A plan that is not active is not sold.',
  },
)

const { name, ...rest } = editable
const optional = { ...Type.Partial(Type.Object(rest)).properties, account_id: Type.Optional(Id) }
const readOnly = readOnlyFields('id', 'org_id', 'created_at', 'updated_at')

export const RatePlanInput = Type.Object(
  { unit_id: Id, name, ...optional, ...readOnly },
  {
    title: 'RatePlanInput',
    example: {
      unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f',
      name: 'With breakfast',
      meal_plan: 'breakfast',
    },
    additionalProperties: false,
  },
)
export const RatePlanPatch = Type.Object(
  { unit_id: Type.Optional(Id), name: Type.Optional(name), ...optional, ...readOnly },
  {
    title: 'RatePlanPatch',
    example: { meal_plan: 'half_board' },
    additionalProperties: false,
  },
)
export type RatePlanInput = Static<typeof RatePlanInput>
export type RatePlanFields = Pick<Static<typeof RatePlan>, keyof typeof editable | 'unit_id' | 'account_id'>

/** All fields of the plan in a POST or PUT; a missing one has its default, or is that of the unit. */
export const withPlanDefaults = (
  input: RatePlanInput,
  unit: Pick<RatePlanFields, 'account_id' | 'currency'>,
): RatePlanFields => ({
  unit_id: input.unit_id,
  account_id: input.account_id ?? unit.account_id,
  name: input.name,
  currency: input.currency ?? unit.currency,
  meal_plan: input.meal_plan ?? 'none',
  is_default: input.is_default ?? false,
  status: input.status ?? 'active',
})

/** Unit, account and currency cannot differ from those of the unit. @throws Invalid */
export function assertSameUnit(
  next: RatePlanFields,
  unit: { id: string; account_id: string; currency: string },
): void {
  if (next.unit_id !== unit.id) throw semanticError('unit_id', 'A rate plan cannot move to another unit.')
  if (next.account_id !== unit.account_id)
    throw semanticError('account_id', 'account_id must be the account of the unit.')
  if (next.currency !== unit.currency)
    throw semanticError('currency', `currency must be that of the unit, ${unit.currency}.`)
}

/** A unit keeps an active default plan, and an archived plan changes only its status. @throws Conflict */
export function assertChangeAllowed(current: RatePlanFields | null, next: RatePlanFields): void {
  if (current?.is_default && !next.is_default)
    throw new Conflict(
      'resource-in-use',
      'A unit needs a default plan: make another one the default instead.',
    )
  if (next.is_default && next.status !== 'active')
    throw new Conflict('resource-in-use', `The default plan of a unit cannot be ${next.status}.`)
  if (current?.status !== 'archived') return
  const { status: _, ...before } = current
  const { status: __, ...after } = next
  if (next.status === 'active')
    throw new Conflict('invalid-status-transition', 'A rate plan cannot go from archived to active.')
  if (JSON.stringify(before) !== JSON.stringify(after))
    throw new Conflict('resource-archived', 'The rate plan is archived: only its status can change.')
}

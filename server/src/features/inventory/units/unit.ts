import { Type, type Static } from 'typebox'
import { withMembers, type StoredRecord } from '#db/records.ts'
import { Conflict, Invalid, semanticError } from '#errors.ts'
import {
  Cents,
  Count,
  Currency,
  Id,
  Name,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
} from '#schema/fields.ts'
import { formatMoney } from '#schema/money.ts'
import { Space } from '#features/inventory/spaces/space.ts'

export const unitTypes = [
  'apartment',
  'studio',
  'house',
  'townhouse',
  'villa',
  'cottage',
  'cabin',
  'chalet',
  'bungalow',
  'loft',
  'suite',
  'room',
  'dorm',
  'bed',
  'other',
] as const
export const unitStatuses = ['active', 'inactive', 'maintenance', 'archived'] as const

const editable = {
  space_id: Id,
  name: Name,
  type: oneOf(...unitTypes),
  bedrooms: Count(0, 1_000),
  bathrooms: Type.Number({
    minimum: 0,
    maximum: 1_000,
    multipleOf: 0.5,
    description: 'Half a bathroom counts as 0.5.',
  }),
  max_guests: Count(1, 10_000),
  base_price_cents: {
    ...Cents,
    description:
      'Price in minor units of nights without a price in the calendar. 0 requires `free_of_charge`.',
  },
  min_price_cents: nullable({
    ...Cents,
    description: 'The minimum price of one room for a night after discounts; null for none.',
  }),
  quantity: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    format: 'int32',
    description: 'The number of equal rooms of this unit.',
  }),
  currency: Currency,
  status: oneOf(...unitStatuses),
}

const FreeOfCharge = Type.Boolean({
  description: 'Whether base_price_cents is 0. It must be true in a body with the price 0, to confirm it.',
})

/** What a guest books: a room, an apartment or a house inside a space. */
export const Unit = Type.Object(
  { ...ownedFields, ...editable, free_of_charge: FreeOfCharge, ...timestampFields, space: Space },
  { title: 'Unit' },
)

const { space_id, name, base_price_cents, ...rest } = editable
const optional = {
  ...Type.Partial(Type.Object(rest)).properties,
  free_of_charge: Type.Optional(FreeOfCharge),
  account_id: Type.Optional(Id),
}
const readOnly = readOnlyFields('id', 'org_id', 'created_at', 'updated_at', 'space')

export const UnitInput = Type.Object(
  { space_id, name, base_price_cents, ...optional, ...readOnly },
  {
    title: 'UnitInput',
    example: {
      space_id: 'c2a4e6f8-1b3d-4f5a-8e7c-6d5b4a392817',
      name: 'Room 12',
      type: 'room',
      bedrooms: 1,
      bathrooms: 1,
      max_guests: 2,
      base_price_cents: 12_900,
    },
    additionalProperties: false,
  },
)
export const UnitPatch = Type.Object(
  {
    space_id: Type.Optional(space_id),
    name: Type.Optional(name),
    base_price_cents: Type.Optional(base_price_cents),
    ...optional,
    ...readOnly,
  },
  {
    title: 'UnitPatch',
    example: { base_price_cents: 13_900 },
    additionalProperties: false,
  },
)
export type UnitInput = Static<typeof UnitInput>
export type UnitPatch = Static<typeof UnitPatch>
export type UnitFields = Pick<Static<typeof Unit>, keyof typeof editable | 'account_id'>

/** All fields of the unit in a POST or PUT; a missing one has its default, or that of the space. @throws Invalid */
export function withUnitDefaults<Default>(
  input: UnitInput,
  space: Record<'account_id' | 'currency', Default>,
) {
  assertFreeIsConfirmed(input.base_price_cents, input.free_of_charge)
  return {
    space_id: input.space_id,
    name: input.name,
    type: input.type ?? 'apartment',
    bedrooms: input.bedrooms ?? 1,
    bathrooms: input.bathrooms ?? 1,
    max_guests: input.max_guests ?? 2,
    base_price_cents: input.base_price_cents,
    min_price_cents: input.min_price_cents ?? null,
    quantity: input.quantity ?? 1,
    currency: input.currency ?? space.currency,
    status: input.status ?? 'active',
    account_id: input.account_id ?? space.account_id,
  }
}

/** The fields after a PATCH. A new currency needs new amounts, so that a number is never kept in it. @throws Invalid */
export function patchUnit(
  current: UnitFields,
  { free_of_charge, ...patch }: Partial<UnitFields> & { readonly free_of_charge?: boolean },
): UnitFields {
  const next = { ...current, ...patch }
  const staysFree = current.base_price_cents === 0 && next.base_price_cents === 0
  assertFreeIsConfirmed(next.base_price_cents, free_of_charge ?? staysFree)
  if (next.currency !== current.currency)
    for (const member of ['base_price_cents', 'min_price_cents'] as const)
      if (current[member] && patch[member] === undefined)
        throw semanticError(member, `Send ${member} in the new currency, ${next.currency}, too.`, 'required')
  return next
}

/** A base price of 0 must be confirmed by `free_of_charge`, so that it is never a mistake. @throws Invalid */
function assertFreeIsConfirmed(price: number, isFree: boolean | undefined): void {
  if (price === 0 && isFree !== true)
    throw semanticError(
      'base_price_cents',
      'A base_price_cents of 0 sells every night for nothing: add "free_of_charge": true if that is meant.',
      'free_of_charge_missing',
    )
  if (price > 0 && isFree === true)
    throw semanticError('free_of_charge', `free_of_charge is true, but base_price_cents is ${price}.`)
}

/** @throws Invalid */
export function assertMinimumReached({
  base_price_cents: base,
  min_price_cents: min,
  currency,
}: UnitFields): void {
  if (min === null || base >= min) return
  const message = `The base price, ${formatMoney(base, currency)}, is below the minimum of ${formatMoney(min, currency)}.`
  throw new Invalid('price-below-minimum', [{ pointer: '/base_price_cents', code: 'below_minimum', message }])
}

/** @throws Conflict on a status transition that is not allowed, and on a change of an archived unit */
export function assertChangeAllowed(current: UnitFields, next: UnitFields): void {
  if (current.status !== 'archived') return
  const { status: _, ...before } = current
  const { status: __, ...after } = next
  if (next.status !== 'archived' && next.status !== 'inactive')
    throw new Conflict('invalid-status-transition', `A unit cannot go from archived to ${next.status}.`)
  if (JSON.stringify(before) !== JSON.stringify(after))
    throw new Conflict('resource-archived', 'The unit is archived: only its status can change.')
}

/** Whether a change affects prices, rooms or availability of nights, and not only the description. */
export const affectsNights = (current: UnitFields, next: UnitFields): boolean =>
  (['base_price_cents', 'min_price_cents', 'quantity', 'status', 'currency', 'space_id'] as const).some(
    (member) => current[member] !== next[member],
  )

/** The stored JSON of a unit and of its space, which the API returns as one record. */
export interface UnitRow extends StoredRecord {
  readonly space: string
}

export const formatUnit = ({ json, space }: Pick<UnitRow, 'json' | 'space'>) => withMembers(json, { space })

import { Type, type Static } from 'typebox'
import { Conflict } from '#errors.ts'
import { Cents, Count, Currency, Id, Name, echoes, oneOf, owned, stamped } from '#fields.ts'
import { Space } from '../spaces/space.ts'

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

const stated = {
  space_id: Id,
  name: Name,
  type: oneOf(...unitTypes),
  bedrooms: Count(0, 1_000),
  bathrooms: Type.Number({
    minimum: 0,
    maximum: 1_000,
    multipleOf: 0.5,
    description: 'Half a bathroom counts .5.',
  }),
  max_guests: Count(1, 10_000),
  base_price_cents: Cents,
}

/** What the product adds. A PUT that leaves these out keeps them, so that a client unaware of them harms nothing. */
const added = {
  quantity: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    format: 'int32',
    description: 'Equal rooms behind this unit.',
  }),
  currency: Currency,
  status: oneOf(...unitStatuses),
}

/** What a guest books: a room, an apartment or a house inside a space. */
export const Unit = Type.Object(
  { ...owned, ...stated, ...added, ...stamped, space: Space },
  { title: 'Unit' },
)

const { space_id, name, ...rest } = { ...stated, ...added }
const optional = { ...Type.Partial(Type.Object(rest)).properties, account_id: Type.Optional(Id) }
const repeated = echoes('id', 'org_id', 'created_at', 'updated_at', 'space')

export const UnitInput = Type.Object(
  { space_id, name, ...optional, ...repeated },
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
  { space_id: Type.Optional(space_id), name: Type.Optional(name), ...optional, ...repeated },
  {
    title: 'UnitPatch',
    example: { base_price_cents: 13_900 },
    additionalProperties: false,
  },
)
export type UnitInput = Static<typeof UnitInput>
export type UnitFields = Pick<Static<typeof Unit>, keyof typeof stated | keyof typeof added | 'account_id'>

/** What a unit is when nobody says otherwise. */
const defaults = { type: 'apartment', bedrooms: 1, bathrooms: 1, max_guests: 2, base_price_cents: 0 } as const

/** A PUT takes the stated members anew; what it leaves out becomes the default. */
export const replacing = (
  current: Pick<UnitFields, keyof typeof added | 'account_id'>,
  input: UnitInput,
): UnitFields => ({
  space_id: input.space_id,
  name: input.name,
  type: input.type ?? defaults.type,
  bedrooms: input.bedrooms ?? defaults.bedrooms,
  bathrooms: input.bathrooms ?? defaults.bathrooms,
  max_guests: input.max_guests ?? defaults.max_guests,
  base_price_cents: input.base_price_cents ?? defaults.base_price_cents,
  quantity: input.quantity ?? current.quantity,
  currency: input.currency ?? current.currency,
  status: input.status ?? current.status,
  account_id: input.account_id ?? current.account_id,
})

/** @throws Conflict when the status may not follow, or when an archived unit is changed otherwise. */
export function refuseIllegalChange(current: UnitFields, next: UnitFields): void {
  if (current.status !== 'archived') return
  const { status: _, ...before } = current
  const { status: __, ...after } = next
  if (next.status !== 'archived' && next.status !== 'inactive')
    throw new Conflict('invalid-status-transition', `A unit cannot go from archived to ${next.status}.`)
  if (JSON.stringify(before) !== JSON.stringify(after))
    throw new Conflict('resource-archived', 'The unit is archived: only its status can change.')
}

/** Whether a change shows in the calendar: in prices, in rooms, or in what may be sold at all. */
export const concernsNights = (current: UnitFields, next: UnitFields): boolean =>
  (['base_price_cents', 'quantity', 'status', 'currency', 'space_id'] as const).some(
    (member) => current[member] !== next[member],
  )

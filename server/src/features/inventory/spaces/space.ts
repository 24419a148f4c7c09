import { Type, type Static } from 'typebox'
import { Conflict } from '#errors.ts'
import {
  Country,
  Currency,
  Id,
  Name,
  TimeZone,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'

export const spaceStatuses = ['draft', 'active', 'inactive', 'archived'] as const
type SpaceStatus = (typeof spaceStatuses)[number]

const Amenities = Type.Array(Type.String({ pattern: '^[a-z0-9_]+$', minLength: 1, maxLength: 64 }), {
  maxItems: 100,
  uniqueItems: true,
  description: 'Any names in lower snake case, such as wifi, kitchen or parking.',
})

const editable = {
  name: Name,
  address: nullable(text(500)),
  city: nullable(text(255)),
  state: nullable(text(255)),
  zip: nullable(text(32)),
  country: nullable(Country),
  amenities: Amenities,
  description: nullable(text(10_000)),
  status: oneOf(...spaceStatuses),
  timezone: TimeZone,
  currency: Currency,
}

/** A property at one address. */
export const Space = Type.Object({ ...ownedFields, ...editable, ...timestampFields }, { title: 'Space' })

const { name, ...rest } = editable
const optional = { ...Type.Partial(Type.Object(rest)).properties, account_id: Type.Optional(Id) }
const readOnly = readOnlyFields('id', 'org_id', 'created_at', 'updated_at')

export const SpaceInput = Type.Object(
  { name, ...optional, ...readOnly },
  {
    title: 'SpaceInput',
    example: {
      name: 'Casa do Mar',
      address: 'Rua das Flores 12',
      city: 'Lisbon',
      zip: '1200-195',
      country: 'PT',
      timezone: 'Europe/Lisbon',
      currency: 'eur',
    },
    additionalProperties: false,
  },
)
export const SpacePatch = Type.Object(
  { name: Type.Optional(name), ...optional, ...readOnly },
  {
    title: 'SpacePatch',
    example: { description: 'Three minutes from the beach.' },
    additionalProperties: false,
  },
)
export type SpaceInput = Static<typeof SpaceInput>
export type SpacePatch = Static<typeof SpacePatch>
export type SpaceFields = Pick<Static<typeof Space>, keyof typeof editable | 'account_id'>

/** All fields of the space in a POST or PUT; a missing one is empty or has its default. */
export const withSpaceDefaults = <Default>(
  input: SpaceInput,
  accountId: string,
  defaults: Record<'timezone' | 'currency', Default>,
) => ({
  name: input.name,
  address: input.address ?? null,
  city: input.city ?? null,
  state: input.state ?? null,
  zip: input.zip ?? null,
  country: input.country ?? null,
  amenities: input.amenities ?? [],
  description: input.description ?? null,
  status: input.status ?? 'active',
  timezone: input.timezone ?? defaults.timezone,
  currency: input.currency ?? defaults.currency,
  account_id: accountId,
})

const nextStatuses: Record<SpaceStatus, readonly SpaceStatus[]> = {
  draft: ['active', 'archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
}

/** @throws Conflict on a status transition that is not allowed, and on a change of an archived space */
export function assertChangeAllowed(current: SpaceFields, next: SpaceFields): void {
  if (next.status !== current.status && !nextStatuses[current.status].includes(next.status))
    throw new Conflict(
      'invalid-status-transition',
      `A space cannot go from ${current.status} to ${next.status}.`,
    )
  const { status: _, ...before } = current
  const { status: __, ...after } = next
  if (current.status === 'archived' && JSON.stringify(before) !== JSON.stringify(after))
    throw new Conflict('resource-archived', 'The space is archived: only its status can change.')
}

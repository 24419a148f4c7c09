import { Type, type Static } from 'typebox'
import { Conflict } from '#errors.ts'
import {
  Country,
  Currency,
  Id,
  Name,
  TimeZone,
  echoes,
  nullable,
  oneOf,
  owned,
  stamped,
  text,
} from '#fields.ts'

export const spaceStatuses = ['draft', 'active', 'inactive', 'archived'] as const
export type SpaceStatus = (typeof spaceStatuses)[number]

const Amenities = Type.Array(Type.String({ pattern: '^[a-z0-9_]+$', minLength: 1, maxLength: 64 }), {
  maxItems: 100,
  uniqueItems: true,
  description: 'Open vocabulary in lower snake case: wifi, kitchen, parking …',
})

const stated = {
  name: Name,
  address: nullable(text(500)),
  city: nullable(text(255)),
  state: nullable(text(255)),
  zip: nullable(text(32)),
  country: nullable(Country),
  amenities: Amenities,
  description: nullable(text(10_000)),
}

/** What the product adds to the interface. */
const added = { status: oneOf(...spaceStatuses), timezone: TimeZone, currency: Currency }

/** A property at one address. */
export const Space = Type.Object({ ...owned, ...stated, ...added, ...stamped }, { title: 'Space' })

const { name, ...rest } = { ...stated, ...added }
const optional = { ...Type.Partial(Type.Object(rest)).properties, account_id: Type.Optional(Id) }
const repeated = echoes('id', 'org_id', 'created_at', 'updated_at')

export const SpaceInput = Type.Object(
  { name, ...optional, ...repeated },
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
  { name: Type.Optional(name), ...optional, ...repeated },
  {
    title: 'SpacePatch',
    example: { description: 'Three minutes from the beach.' },
    additionalProperties: false,
  },
)
export type SpaceInput = Static<typeof SpaceInput>
export type SpacePatch = Static<typeof SpacePatch>
export type SpaceFields = Pick<Static<typeof Space>, keyof typeof stated | keyof typeof added | 'account_id'>

/** The whole space of a POST or PUT: what the body leaves out becomes empty or the default. */
export const completeSpace = (
  input: SpaceInput,
  accountId: string,
  defaults: { timezone: string; currency: string },
): SpaceFields => ({
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

const followers: Record<SpaceStatus, readonly SpaceStatus[]> = {
  draft: ['active', 'archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
}

/** @throws Conflict when the status may not follow, or when an archived space is changed otherwise. */
export function refuseIllegalChange(current: SpaceFields, next: SpaceFields): void {
  if (next.status !== current.status && !followers[current.status].includes(next.status))
    throw new Conflict(
      'invalid-status-transition',
      `A space cannot go from ${current.status} to ${next.status}.`,
    )
  const { status: _, ...before } = current
  const { status: __, ...after } = next
  if (current.status === 'archived' && JSON.stringify(before) !== JSON.stringify(after))
    throw new Conflict('resource-archived', 'The space is archived: only its status can change.')
}

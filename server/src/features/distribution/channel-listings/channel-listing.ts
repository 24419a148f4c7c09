import { Type, type Static } from 'typebox'
import { Conflict, semanticError, validationError } from '#errors.ts'
import {
  Id,
  Timestamp,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'
import { ChannelTarget } from '#features/distribution/channel-targets/channel-target.ts'
import { Unit } from '#features/inventory/units/unit.ts'

export const listingStatuses = ['pending', 'active', 'error', 'paused'] as const
export type ListingStatus = (typeof listingStatuses)[number]

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^\\S(.*\\S)?$',
  description: 'The id of the unit at the PMS; null until it is created there.',
})

const PlanMapping = Type.Object(
  { rate_plan_id: Id, external_id: { ...ExternalId, description: 'The id of the rate plan at the PMS.' } },
  { title: 'PlanMapping', additionalProperties: false },
)
const PlanMappings = Type.Array(PlanMapping, {
  maxItems: 100,
  description: 'The mapping of the rate plans of the unit to those of the PMS.',
})

const { space: _, ...unitMembers } = Unit.properties
const UnitWithoutSpace = Type.Object(unitMembers, { title: 'UnitWithoutSpace' })

/** One unit offered through one target. */
export const ChannelListing = Type.Object(
  {
    ...ownedFields,
    unit_id: Id,
    channel_target_id: Id,
    external_id: nullable(ExternalId),
    rate_plans: PlanMappings,
    status: oneOf(...listingStatuses),
    last_synced_at: nullable(Timestamp),
    error_message: nullable(text(1_000)),
    ...timestampFields,
    unit: UnitWithoutSpace,
    channel_target: ChannelTarget,
  },
  { title: 'ChannelListing' },
)

export const ChannelListingInput = Type.Object(
  {
    unit_id: Id,
    channel_target_id: Id,
    external_id: Type.Optional(nullable(ExternalId)),
    create: Type.Optional(
      Type.Boolean({ description: 'Instead of an external_id: the first push creates the unit at the PMS.' }),
    ),
    rate_plans: Type.Optional(PlanMappings),
    status: Type.Optional(oneOf(...listingStatuses)),
    account_id: Type.Optional(Id),
    ...readOnlyFields(
      'id',
      'org_id',
      'last_synced_at',
      'error_message',
      'created_at',
      'updated_at',
      'unit',
      'channel_target',
    ),
  },
  {
    title: 'ChannelListingInput',
    example: {
      unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f',
      channel_target_id: '7e1c9b3a-2d4f-4a6b-8c5d-9e0f1a2b3c4d',
      external_id: 'RT-1001',
    },
    additionalProperties: false,
  },
)
export type ChannelListingInput = Static<typeof ChannelListingInput>

/** The external id of a listing: a unit that exists at the PMS, or null when the first push creates it. @throws BadRequest */
export function externalIdFor(
  { external_id, create = false }: Pick<ChannelListingInput, 'external_id' | 'create'>,
  current?: { external_id: string | null },
): string | null {
  if (external_id && create)
    throw semanticError('create', 'Send either an external_id or "create": true, not both.')
  if (external_id) return external_id
  if (create || (external_id === null && current?.external_id === null)) return current?.external_id ?? null
  throw validationError(
    'external_id',
    'external_id is missing. Send the id of the unit at the PMS, or "create": true to create it there.',
    'required',
  )
}

/** @throws Invalid when a rate plan or an external id is mapped twice. */
export function assertPlansDistinct(plans: readonly { rate_plan_id: string; external_id: string }[]): void {
  for (const member of ['rate_plan_id', 'external_id'] as const) {
    const seen = new Set<string>()
    plans.forEach((plan, at) => {
      if (seen.has(plan[member]))
        throw semanticError(
          `rate_plans/${at}/${member}`,
          `This ${member} is in rate_plans twice. Remove one of them.`,
          'duplicate',
        )
      seen.add(plan[member])
    })
  }
}

/**
 * The status after a request. A person pauses and resumes a listing; syncs set the other statuses, so `active` and
 * `pending` both request a push. @throws Conflict
 */
export function nextStatus(current: ListingStatus, requested: ListingStatus | undefined): ListingStatus {
  if (requested === undefined || requested === current || requested === 'paused') return requested ?? current
  if (requested === 'error')
    throw new Conflict(
      'invalid-status-transition',
      `The status cannot be changed from ${current} to error. Set it to active or paused.`,
    )
  return current === 'active' ? 'active' : 'pending'
}

import { Type, type Static } from 'typebox'
import { Conflict, Malformed, semanticError } from '#errors.ts'
import { Id, Timestamp, echoes, nullable, oneOf, owned, stamped, text } from '#fields.ts'
import { ChannelTarget } from '../channel-targets/channel-target.ts'
import { Unit } from '../units/unit.ts'

export const listingStatuses = ['pending', 'active', 'error', 'paused'] as const
export type ListingStatus = (typeof listingStatuses)[number]

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^\\S(.*\\S)?$',
  description: 'The unit on the PMS side; null until it has been made there.',
})

const PlanMapping = Type.Object(
  { rate_plan_id: Id, external_id: { ...ExternalId, description: 'The rate plan on the PMS side.' } },
  { additionalProperties: false },
)
const PlanMappings = Type.Array(PlanMapping, {
  maxItems: 100,
  description: 'Which of the rate plans of the unit is called what at the PMS.',
})

const { space: _, ...unitMembers } = Unit.properties

/** One unit offered through one target. */
export const ChannelListing = Type.Object(
  {
    ...owned,
    unit_id: Id,
    channel_target_id: Id,
    external_id: nullable(ExternalId),
    rate_plans: PlanMappings,
    status: oneOf(...listingStatuses),
    last_synced_at: nullable(Timestamp),
    error_message: nullable(text(1_000)),
    ...stamped,
    unit: Type.Object(unitMembers),
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
      Type.Boolean({ description: 'Instead of an external_id: the unit is made at the PMS, once.' }),
    ),
    rate_plans: Type.Optional(PlanMappings),
    status: Type.Optional(oneOf(...listingStatuses)),
    account_id: Type.Optional(Id),
    ...echoes(
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

/** What a listing maps to: a unit that exists at the PMS, or null for one that is to be made. @throws Malformed */
export function externalIdOf(
  { external_id, create = false }: Pick<ChannelListingInput, 'external_id' | 'create'>,
  current?: { external_id: string | null },
): string | null {
  if (external_id && create)
    throw semanticError('create', 'Name an external_id, or have the unit made: not both.')
  if (external_id) return external_id
  if (create || (external_id === null && current?.external_id === null)) return current?.external_id ?? null
  const message = 'external_id is missing: name the unit at the PMS, or send "create": true.'
  throw new Malformed('validation-error', message, {
    faults: [{ pointer: '/external_id', code: 'required', message }],
  })
}

/** @throws Invalid when a plan or one of its external ids is named twice. */
export function refuseDoubles(plans: readonly { rate_plan_id: string; external_id: string }[]): void {
  for (const member of ['rate_plan_id', 'external_id'] as const) {
    const seen = new Set<string>()
    plans.forEach((plan, at) => {
      if (seen.has(plan[member]))
        throw semanticError(
          `rate_plans/${at}/${member}`,
          `${member} stands twice in rate_plans.`,
          'duplicate',
        )
      seen.add(plan[member])
    })
  }
}

/**
 * A person pauses a listing and resumes it; the rest follows from syncs, so `active` and `pending` both mean:
 * push again. @throws Conflict
 */
export function statusAfter(current: ListingStatus, asked: ListingStatus | undefined): ListingStatus {
  if (asked === undefined || asked === current || asked === 'paused') return asked ?? current
  if (asked === 'error')
    throw new Conflict(
      'invalid-status-transition',
      `A listing cannot be set from ${current} to error by hand.`,
    )
  return current === 'active' ? 'active' : 'pending'
}

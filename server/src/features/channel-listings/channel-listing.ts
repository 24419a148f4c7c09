import { Type, type Static } from 'typebox'
import { Conflict } from '#errors.ts'
import { Id, Timestamp, echoes, nullable, oneOf, owned, stamped, text } from '#fields.ts'
import { ChannelTarget } from '../channel-targets/channel-target.ts'
import { Unit } from '../units/unit.ts'

export const listingStatuses = ['pending', 'active', 'error', 'paused'] as const
export type ListingStatus = (typeof listingStatuses)[number]

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^\\S(.*\\S)?$',
  description: 'The unit on the PMS side.',
})

const { space: _, ...unitMembers } = Unit.properties

/** One unit offered through one target. */
export const ChannelListing = Type.Object(
  {
    ...owned,
    unit_id: Id,
    channel_target_id: Id,
    external_id: ExternalId,
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
    external_id: ExternalId,
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
  { title: 'ChannelListingInput', additionalProperties: false },
)
export type ChannelListingInput = Static<typeof ChannelListingInput>

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

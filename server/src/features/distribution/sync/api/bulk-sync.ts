import { Type, type Static } from 'typebox'
import { Id, nullable, oneOf, Whole, whole } from '#schema/fields.ts'
import { failureCodes } from '#integrations/pms/pms-failure.ts'
import { syncStates } from '#features/distribution/sync/state.ts'

/** A response lists at most this many listings, and counts all of them. */
export const maxListings = 1_000

const QueuedListing = Type.Object(
  { channel_listing_id: Id, job_id: Id, status: oneOf(...syncStates) },
  { title: 'QueuedListing' },
)

const Queued = {
  queued: Whole,
  listings: Type.Array(QueuedListing, {
    maxItems: maxListings,
    description: `The first ${maxListings} of them.`,
  }),
}

export const RetryInput = Type.Object(
  {
    channel_listing_id: Type.Optional(Id),
    channel_target_id: Type.Optional(Id),
    error_code: Type.Optional(oneOf(...failureCodes)),
  },
  {
    title: 'RetryInput',
    example: { channel_target_id: '7e1c9b3a-2d4f-4a6b-8c5d-9e0f1a2b3c4d' },
    additionalProperties: false,
    description: 'Each member restricts the selection; without any, all failed listings are retried.',
  },
)
export type RetryInput = Static<typeof RetryInput>

/** Failed listings that are retried. */
export const Retry = Type.Object(Queued, { title: 'Retry' })

export const ReplayInput = Type.Object(
  { channel_listing_id: Type.Optional(Id), channel_target_id: Type.Optional(Id) },
  {
    title: 'ReplayInput',
    example: { channel_listing_id: '0b6f2a4e-7c1d-4e8b-9f3a-5d2c1b0a9e8f' },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'One of the two.',
  },
)
export type ReplayInput = Static<typeof ReplayInput>

/** Listings that are sent again in full. */
export const Replay = Type.Object(Queued, { title: 'Replay' })

export const ConnectorSyncInput = Type.Object(
  { property_id: Id },
  {
    title: 'ConnectorSyncInput',
    example: { property_id: 'c2a4e6f8-1b3d-4f5a-8e7c-6d5b4a392817' },
    additionalProperties: false,
  },
)

/** The listings of one property, which are synced and compared with the PMS. */
export const ConnectorSync = Type.Object(
  {
    job_id: nullable({ ...Id, description: 'The first job; null when the property has no listing to sync.' }),
    property_id: Id,
    status: oneOf('pending', 'completed'),
    ...Queued,
    skipped: whole('Listings that are paused, or whose target is inactive.'),
  },
  { title: 'ConnectorSync' },
)

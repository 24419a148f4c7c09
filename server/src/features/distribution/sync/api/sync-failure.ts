import { Type } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, whole } from '#schema/fields.ts'
import { failureCodes } from '#integrations/pms/pms-failure.ts'

/** A response lists at most this many causes, and this many listings of each; it counts all of them. */
export const maxCauses = 100
export const maxExamples = 5

export const FailingListing = Type.Object(
  {
    channel_listing_id: Id,
    unit_id: Id,
    unit_name: text(255, 'Name of the unit.'),
    external_id: nullable(text(255, 'The id of the unit at the PMS; null until it exists there.')),
    status: Type.Unsafe<'failed' | 'retrying'>({
      ...oneOf('failed', 'retrying'),
      description:
        '`failed`: no further attempt until a retry or a change; `retrying`: another attempt is planned.',
    }),
    error_message: text(10_000, 'The response of the PMS for this listing.'),
    last_at: { ...Timestamp, description: 'When the last attempt ended.' },
  },
  { title: 'FailingListing' },
)

/** All listings of one target that fail with the same code, with messages that differ only in names and numbers. */
const SyncFailure = Type.Object(
  {
    id: {
      ...Id,
      description:
        'Identifies the cause. It stays the same while the target fails with this kind of message.',
    },
    error_code: oneOf(...failureCodes),
    channel_target_id: Id,
    channel_target_name: text(255, 'Name of the target.'),
    message: text(10_000, 'The message of one of the listings.'),
    hint: nullable(text(1_000, 'What to correct; null before a final failure.')),
    retryable: Type.Boolean({
      description: 'Whether a retry alone can help. Otherwise correct the cause first, then retry.',
    }),
    count: whole('How many listings fail.'),
    failed: whole('How many of them have failed until a retry or a change.'),
    retrying: whole('How many of them are tried again automatically.'),
    first_at: { ...Timestamp, description: 'Since when the first of them fails.' },
    last_at: { ...Timestamp, description: 'When the last attempt of any of them ended.' },
    listings: Type.Array(FailingListing, {
      maxItems: maxExamples,
      description: `The ${maxExamples} with the latest attempts.`,
    }),
  },
  { title: 'SyncFailure' },
)

export const SyncFailures = Type.Object({
  sync_failures: Type.Array(SyncFailure, {
    maxItems: maxCauses,
    description: `The ${maxCauses} causes with the most listings.`,
  }),
  causes: whole('How many causes there are.'),
  listings: whole('How many listings fail.'),
})

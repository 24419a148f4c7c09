import { Type, type Static } from 'typebox'
import { Day, Id, Timestamp, nullable, oneOf, text, identifier, Whole } from '#schema/fields.ts'
import { Terms } from '#features/distribution/sync/sync-status.ts'

/** A range of nights: of the rooms of the unit (no rate plan), or of the terms of one plan. */
const Run = Type.Object(
  {
    rate_plan_id: nullable(Id),
    date_from: Day,
    date_to: Day,
    available: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, format: 'int32' })),
    ...Type.Partial(Type.Object(Terms)).properties,
  },
  { title: 'ProofRun' },
)
const Runs = Type.Array(Run, { maxItems: 100_000 })

const DifferenceFound = Type.Object(
  {
    field: identifier(128),
    rate_plan_id: nullable(Id),
    date_from: nullable(Day),
    date_to: nullable(Day),
    desired: Type.Unknown(),
    read_back: Type.Unknown(),
  },
  { title: 'Difference' },
)

export const Proof = Type.Object(
  {
    channel_listing_id: Id,
    in_sync: Type.Boolean({ description: 'Whether the PMS shows what is desired.' }),
    checked_at: nullable(Timestamp),
    age_seconds: nullable(Whole),
    desired: Runs,
    accepted: Runs,
    read_back: Runs,
    differences: Type.Array(DifferenceFound, { maxItems: 100_000 }),
    error_message: nullable(text(1_000, 'Why the PMS could not be read now.')),
  },
  { title: 'Proof' },
)
export type Proof = Static<typeof Proof>

export const Preview = Type.Object(
  {
    channel_listing_id: Id,
    mode: oneOf('delta', 'full'),
    would_push: Type.Boolean({ description: 'Whether there are any differences.' }),
    content: Type.Array(
      Type.Object({ field: identifier(128), before: Type.Unknown(), after: Type.Unknown() }),
      {
        maxItems: 1_000,
      },
    ),
    calendar: Runs,
  },
  { title: 'Preview' },
)
export type Preview = Static<typeof Preview>

import { Type, type Static } from 'typebox'
import { Count, Id, Timestamp, nullable, oneOf, ownedFields, text, timestampFields } from '#schema/fields.ts'
import { failureCodes } from '#integrations/pms/pms-failure.ts'
import { unitTypes } from '#features/inventory/units/unit.ts'

export const importStatuses = ['planning', 'planned', 'running', 'completed', 'failed', 'cancelled'] as const
export type ImportStatus = (typeof importStatuses)[number]

/** What an import does, in this order. Photos are downloaded beside the rest, and waited for at the end. */
const stages = ['plan', 'units', 'bookings', 'blocks', 'photos'] as const
export type ImportStage = (typeof stages)[number]

export const itemKinds = ['space', 'unit', 'rate_plan', 'photo'] as const
export type ItemKind = (typeof itemKinds)[number]
export const itemActions = ['create', 'match', 'skip'] as const
export type ItemAction = (typeof itemActions)[number]

const optionalParts = ['bookings', 'photos'] as const
const Include = Type.Array(oneOf(...optionalParts), {
  maxItems: optionalParts.length,
  uniqueItems: true,
  description:
    'What is imported beside units, rate plans, prices, restrictions, links and bookings, which are always imported. By default all.',
})
export type OptionalPart = (typeof optionalParts)[number]

const itemKind = { ...oneOf(...itemKinds), description: 'What it is.' }
const itemAction = { ...oneOf(...itemActions), description: 'What the import does with it.' }

const ImportCount = Type.Object(
  {
    kind: itemKind,
    action: itemAction,
    total: Count(0, 10_000_000),
    done: { ...Count(0, 10_000_000), description: 'How many of them need nothing more.' },
  },
  { title: 'ImportCount' },
)

/** One import of the portfolio of a PMS. */
export const Import = Type.Object(
  {
    ...ownedFields,
    channel_target_id: Id,
    include: Include,
    status: oneOf(...importStatuses),
    stage: { ...oneOf(...stages), description: 'What is done now, or was when the import ended.' },
    counts: Type.Array(ImportCount, { maxItems: 12, description: 'The items by kind and action.' }),
    bookings_imported: {
      ...Count(0, 10_000_000),
      description: 'Current and future ones; what did not fit is a booking conflict.',
    },
    listings_paused: {
      ...Count(0, 10_000_000),
      description: 'Linked units for which nothing is pushed yet.',
    },
    error_code: nullable(oneOf(...failureCodes)),
    error_message: nullable(text(1_000)),
    started_at: nullable({ ...Timestamp, description: 'When it was run first.' }),
    finished_at: nullable({ ...Timestamp, description: 'When it ended.' }),
    ...timestampFields,
  },
  { title: 'Import' },
)

export const ImportInput = Type.Object(
  { channel_target_id: Id, include: Type.Optional(Include) },
  {
    title: 'ImportInput',
    example: { channel_target_id: '7e1c9b3a-2d4f-4a6b-8c5d-9e0f1a2b3c4d' },
    additionalProperties: false,
  },
)
export type ImportInput = Static<typeof ImportInput>

/** Why something is not created, or not imported as it is. */
const reasons = [
  'already_linked',
  // A unit with this name exists, and is linked as it is.
  'same_name',
  'same_property',
  'not_active',
  'no_currency',
  'no_rate_plan',
  'no_price',
  'other_currency',
  // It was removed at the PMS meanwhile.
  'not_found',
  // It does not fit into our records.
  'not_possible',
  'photo_not_available',
] as const
export type Reason = (typeof reasons)[number]

export const ImportItem = Type.Object(
  {
    id: Id,
    kind: itemKind,
    external_id: text(600, 'The id at the PMS; of a photo, its place there.'),
    parent_id: nullable(text(255, 'The external id of the unit or property that it belongs to.')),
    position: { ...Count(0, 2_147_483_647), description: 'In the plan.' },
    name: text(255),
    action: itemAction,
    reason: nullable({ ...oneOf(...reasons), description: 'Why it is not created.' }),
    record_id: nullable({ ...Id, description: 'The record here.' }),
    done_at: nullable({ ...Timestamp, description: 'Null while it is still to be done.' }),
  },
  { title: 'ImportItem' },
)

export const isUnitType = (type: string | null): type is (typeof unitTypes)[number] =>
  (unitTypes as readonly (string | null)[]).includes(type)

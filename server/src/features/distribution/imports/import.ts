import { Type, type Static } from 'typebox'
import {
  Count,
  Id,
  Timestamp,
  identifier,
  nullable,
  oneOf,
  ownedFields,
  text,
  timestampFields,
} from '#schema/fields.ts'
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
  description: 'What is imported beside units, rate plans, prices, restrictions and links. By default all.',
})
export type OptionalPart = (typeof optionalParts)[number]

const ImportCount = Type.Object(
  {
    kind: oneOf(...itemKinds),
    action: oneOf(...itemActions),
    total: Count(0, 10_000_000),
    done: Count(0, 10_000_000),
  },
  { title: 'ImportCount' },
)

const ImportProblem = Type.Object(
  { code: identifier(64), message: text(2_000), hint: text(2_000, 'What an operator can do about it.') },
  { title: 'ImportProblem' },
)
export type ImportProblem = Static<typeof ImportProblem>

const bookingCount = Count(0, 10_000_000)

/** One import of the portfolio of a PMS. */
export const Import = Type.Object(
  {
    ...ownedFields,
    channel_target_id: Id,
    include: Include,
    status: oneOf(...importStatuses),
    stage: oneOf(...stages),
    counts: Type.Array(ImportCount, { maxItems: 12 }),
    bookings_read: bookingCount,
    bookings_imported: {
      ...bookingCount,
      description: 'Current and future ones. What did not fit is among the booking conflicts.',
    },
    problem: nullable(ImportProblem),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
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
const reasons = {
  already_linked: 'It is linked already.',
  same_name: 'A unit with this name exists, and is linked as it is.',
  same_property: 'The space of the property exists.',
  not_active: 'It is not active at the PMS.',
  no_currency: 'It has no currency.',
  no_rate_plan: 'It has no rate plan.',
  no_price: 'It has no price.',
  other_currency: 'Its currency is another than that of its unit.',
  not_found: 'It was removed at the PMS meanwhile.',
  not_possible: 'It does not fit into our records.',
  photo_not_available: 'The file could not be downloaded, or is no photo.',
} as const
export type Reason = keyof typeof reasons

export const ImportItem = Type.Object(
  {
    id: Id,
    import_id: Id,
    kind: oneOf(...itemKinds),
    external_id: text(600),
    parent_id: nullable(text(255, 'The external id of the unit or property that it belongs to.')),
    position: Count(0, 2_147_483_647),
    name: text(255),
    action: oneOf(...itemActions),
    reason: nullable({
      ...oneOf(...(Object.keys(reasons) as Reason[])),
      description: Object.entries(reasons)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join(' '),
    }),
    record_id: nullable({ ...Id, description: 'The record here.' }),
    done_at: nullable(Timestamp),
  },
  { title: 'ImportItem' },
)

export const isUnitType = (type: string | null): type is (typeof unitTypes)[number] =>
  (unitTypes as readonly (string | null)[]).includes(type)

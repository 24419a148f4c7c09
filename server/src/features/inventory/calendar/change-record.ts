import { Type, type Static } from 'typebox'
import { Cents, Count, Day, Id, Timestamp, nullable, oneOf, text, whole } from '#schema/fields.ts'
import { termNames } from '#integrations/pms/pms.ts'

const Member = oneOf(...termNames, 'blocked', 'reason')
const Members = Type.Array(Member, { maxItems: 9 })

/** A change of the calendar: actor, time, values. */
export const CalendarChange = Type.Object(
  {
    id: { ...Id, description: 'Also the id of its entry in the sync audit.' },
    org_id: Id,
    account_id: nullable(Id),
    unit_id: nullable({ ...Id, description: 'The unit, of a change of one unit only.' }),
    units: whole('The number of its units.'),
    values: whole('Range values that were sent.'),
    nights: whole('The number of nights that they change: of plans, and of units for blocks.'),
    nights_changed: whole('Those with another value before the change.'),
    listings: whole('Listings that are pushed.'),
    members: { ...Members, description: 'The changed values.' },
    date_from: { ...Day, description: 'The first night that it changed.' },
    date_to: { ...Day, description: 'The last night that it changed.' },
    reverts_id: nullable({ ...Id, description: 'The change that it reverted.' }),
    reverted_by_id: nullable({ ...Id, description: 'The change that reverted it.' }),
    season_id: nullable({ ...Id, description: 'The season that was applied.' }),
    actor: Type.Object({ type: oneOf('user', 'service', 'system'), id: text(64), name: text(320) }),
    created_at: Timestamp,
  },
  { title: 'CalendarChange' },
)
export type CalendarChange = Static<typeof CalendarChange>

const nights = Type.Array(Type.Object({ date_from: Day, date_to: Day }), {
  maxItems: 200_000,
  description: 'Ranges of nights, the last night included.',
})
const of = {
  unit_id: Id,
  rate_plan_id: nullable({ ...Id, description: 'Null for blocked rooms, which belong to the whole unit.' }),
  nights,
}

const ChangedValues = Type.Object(
  {
    price_cents: Type.Optional(nullable(Cents)),
    min_stay_arrival: Type.Optional(nullable(Count(1, 999))),
    min_stay_through: Type.Optional(nullable(Count(1, 999))),
    max_stay: Type.Optional(nullable(Count(1, 999))),
    closed_to_arrival: Type.Optional(nullable(Type.Boolean())),
    closed_to_departure: Type.Optional(nullable(Type.Boolean())),
    stop_sell: Type.Optional(nullable(Type.Boolean())),
    blocked: Type.Optional(Count(0, 10_000)),
    reason: Type.Optional(nullable(text(255))),
  },
  { title: 'ChangedValues', description: 'The members that changed; null is the default.' },
)

/** Nights of a plan, or of a unit for blocked rooms, that had equal values before and have equal values after. */
const ChangedNights = Type.Object(
  {
    ...of,
    before: ChangedValues,
    after: ChangedValues,
    price_before_cents: nullable({ ...Cents, description: 'The price before the change.' }),
    price_after_cents: nullable({ ...Cents, description: 'The price after the change.' }),
  },
  { title: 'ChangedNights' },
)

/** The same for a preview, with warnings. */
const PreviewedNights = Type.Object(
  {
    ...ChangedNights.properties,
    warnings: Type.Array(oneOf('below_minimum', 'above_maximum', 'over_half'), {
      maxItems: 3,
      description:
        '`below_minimum`: below the `min_price_cents` of the unit, or below zero: the change would be refused. `above_maximum`: above the maximum of a price; refused too. `over_half`: the price changes by more than half.',
    }),
  },
  { title: 'PreviewedNights' },
)
export type PreviewedNights = Static<typeof PreviewedNights>

export const maxRanges = 5_000

export const CalendarPreview = Type.Object(
  {
    values: whole('Range values that were sent.'),
    nights: whole('The number of nights that they change: of plans, and of units for blocks.'),
    nights_changed: whole('Those that have another value now.'),
    nights_below_minimum: whole('Nights with the warning `below_minimum`.'),
    nights_over_half: whole('Nights with the warning `over_half`.'),
    ranges: Type.Array(PreviewedNights, {
      maxItems: maxRanges,
      description: 'The preview, entries with warnings first, then by unit and plan.',
    }),
    has_more_ranges: Type.Boolean({ description: 'Whether `ranges` is incomplete.' }),
  },
  { title: 'CalendarPreview' },
)
export type CalendarPreview = Static<typeof CalendarPreview>

const leftReasons = [
  'changed_since',
  'past',
  'unit_deleted',
  'rate_plan_deleted',
  'rate_plan_archived',
  'below_minimum',
  'too_many_rooms',
] as const

/** Nights that a revert did not restore. */
export const NightsLeft = Type.Object(
  {
    ...of,
    members: { ...Members, description: 'What was not restored.' },
    reason: { ...oneOf(...leftReasons), description: 'Why not.' },
  },
  { title: 'NightsLeft' },
)
export type NightsLeft = Static<typeof NightsLeft>
export type LeftReason = (typeof leftReasons)[number]

export const maxLeft = 200_000

/** A change with what it replaced. */
export const CalendarChangeDetail = Type.Object(
  {
    ...CalendarChange.properties,
    ranges: Type.Array(ChangedNights, {
      maxItems: maxRanges,
      description: 'What it replaced, ordered by unit.',
    }),
    has_more_ranges: Type.Boolean({
      description: `Whether there are more than ${maxRanges.toLocaleString('en')}: request fewer units with \`unit_id\` to read all.`,
    }),
    left: Type.Array(NightsLeft, {
      maxItems: maxLeft,
      description: 'Of a revert: nights that it did not restore.',
    }),
  },
  { title: 'CalendarChangeDetail' },
)

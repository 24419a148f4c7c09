import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, whole } from '#schema/fields.ts'

const Reason = text(255, 'The reason for the stop.')

/** Stops sales without changing the calendar. Lifting the stop resumes them. */
export const SalesStop = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: nullable(Id),
    space_id: nullable(Id),
    unit_id: nullable(Id),
    channel_target_id: nullable(Id),
    reason: nullable(Reason),
    stopped_by: Type.Object({ type: oneOf('user', 'service', 'system'), id: text(64), name: text(320) }),
    lifted_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  {
    title: 'SalesStop',
    description:
      'Stops sales of a space or unit, at one target or everywhere. Without any of them it stops all sales.',
  },
)

export const SalesStopInput = Type.Object(
  {
    space_id: Type.Optional(Id),
    unit_id: Type.Optional(Id),
    channel_target_id: Type.Optional(Id),
    reason: Type.Optional(nullable(Reason)),
  },
  {
    title: 'SalesStopInput',
    example: { unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f', reason: 'Water damage' },
    additionalProperties: false,
  },
)

/** What a stop covers, and how many listings have received it. */
export const SalesStopReach = Type.Object(
  {
    units: whole('Units that the stop covers.'),
    stopped_otherwise: whole(
      'How many of them another stop covers, too: they stay stopped when this one is lifted.',
    ),
    listings: whole('Listings of these units that are pushed: neither paused nor at an inactive target.'),
    reached: whole('How many of them have received the stop or, after it was lifted, its end.'),
    failing: whole('How many of the others fail.'),
    paused: whole(
      'Listings of these units that are paused, or at an inactive target: they receive nothing, so they may still sell.',
    ),
  },
  { title: 'SalesStopReach' },
)

export type SalesStopInput = Static<typeof SalesStopInput>

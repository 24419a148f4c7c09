import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, identifier } from '#schema/fields.ts'

export const PreflightProblem = Type.Object(
  {
    severity: oneOf('error', 'warning'),
    code: identifier(64),
    field: identifier(
      128,
      'The field of the listing, or of its `unit` or `channel_target`, with the problem.',
    ),
    message: text(2_000),
    hint: text(2_000, 'What an operator can do about it.'),
    channel_listing_id: nullable({ ...Id, description: 'Null for a problem of the whole target.' }),
  },
  { title: 'PreflightProblem' },
)
export type PreflightProblem = Static<typeof PreflightProblem>

/** The problems of listings, found before anything is pushed. */
export const Preflight = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether there are no errors. There may be warnings.' }),
    checked_at: Timestamp,
    problems: Type.Array(PreflightProblem, { maxItems: 1_000_000 }),
  },
  { title: 'Preflight' },
)
export type Preflight = Static<typeof Preflight>

import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, word } from '#fields.ts'

export const PreflightProblem = Type.Object(
  {
    severity: oneOf('error', 'warning'),
    code: word(64),
    field: word(128, 'The member of the listing, or of its `unit` or `channel_target`, that it is about.'),
    message: text(2_000),
    hint: text(2_000, 'What an operator can do about it.'),
    channel_listing_id: nullable({ ...Id, description: 'Null when it is about the whole target.' }),
  },
  { title: 'PreflightProblem' },
)
export type PreflightProblem = Static<typeof PreflightProblem>

/** What is wrong with links before anything is pushed. */
export const Preflight = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether there is no error; warnings may remain.' }),
    checked_at: Timestamp,
    problems: Type.Array(PreflightProblem, { maxItems: 1_000_000 }),
  },
  { title: 'Preflight' },
)
export type Preflight = Static<typeof Preflight>

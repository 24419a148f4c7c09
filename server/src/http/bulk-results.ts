import { Type } from 'typebox'
import type { DomainError } from '#errors.ts'
import { Id, identifier, nullable, oneOf, text } from '#schema/fields.ts'
import { problemTypes, problemTypeOf } from './problem-types.ts'

/** The maximum number of records of one request. */
export const maxBulkRecords = 500

/** Why one record was not changed: the problem of a request for this record alone. */
const RecordProblem = Type.Object(
  {
    code: Type.String({ enum: Object.keys(problemTypes), description: 'For programs.' }),
    status: Type.Integer({
      minimum: 400,
      maximum: 599,
      format: 'int32',
      description: 'The HTTP status of a request for this record alone.',
    }),
    title: text(255, 'What is wrong, the same for every problem with this code.'),
    detail: text(100_000, 'What is wrong in this case, and what to do.'),
    errors: Type.Array(
      Type.Object({
        pointer: text(10_000, 'JSON pointer to the member.'),
        code: identifier(64, 'The problem, for programs.'),
        message: text(10_000, 'The problem, for people.'),
      }),
      { maxItems: 50, description: 'One entry for each member that is wrong.' },
    ),
  },
  { title: 'RecordProblem' },
)

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: maxBulkRecords, format: 'int32', description })

export const BulkChange = Type.Object(
  {
    succeeded: count('How many records have the requested state.'),
    failed: count('How many records were not changed.'),
    results: Type.Array(
      Type.Object(
        {
          id: Id,
          result: Type.Unsafe<'succeeded' | 'failed'>({
            ...oneOf('succeeded', 'failed'),
            description: 'Whether the record has the requested state.',
          }),
          status: nullable(identifier(64, 'Status of the record afterwards; null for one that failed.')),
          problem: nullable({ ...RecordProblem, description: 'Why it failed; null otherwise.' }),
        },
        { title: 'BulkResult' },
      ),
      { maxItems: maxBulkRecords, description: 'One entry for each record, in the order of the request.' },
    ),
  },
  { title: 'BulkChange' },
)

export interface BulkOutcome {
  readonly id: string
  /** The status of the record afterwards. */
  readonly status: string | null
  readonly error: DomainError | null
}

export const bulkChangeBody = (outcomes: readonly BulkOutcome[]) => ({
  succeeded: outcomes.filter(({ error }) => !error).length,
  failed: outcomes.filter(({ error }) => error).length,
  results: outcomes.map(({ id, status, error }) => ({
    id,
    result: error ? 'failed' : 'succeeded',
    status,
    problem: error && {
      code: error.code,
      status: problemTypeOf(error.code).status,
      title: problemTypeOf(error.code).title,
      detail: error.message,
      errors: error.errors,
    },
  })),
})

import { Type } from 'typebox'
import { Cents, Count, Day, Id, Timestamp, nullable, oneOf, text, identifier, Whole } from '#schema/fields.ts'
import { failureCodes } from '#integrations/pms/pms-failure.ts'
import { syncStates, syncTriggers } from '#features/distribution/sync/state.ts'

/** The terms of one night of a rate plan, as the API returns them. */
export const Terms = {
  price_cents: Cents,
  min_stay_arrival: Count(1, 999),
  min_stay_through: Count(1, 999),
  max_stay: nullable(Count(1, 999)),
  closed_to_arrival: Type.Boolean(),
  closed_to_departure: Type.Boolean(),
  stop_sell: Type.Boolean(),
}

/** As its record spells it: those of bookings are in camelCase. */
const Member = Type.String({ maxLength: 128, pattern: '^[a-zA-Z0-9_.:-]+$' })

/** The state of one listing at the PMS. */
export const SyncStatus = Type.Object(
  {
    channel_listing_id: Id,
    status: oneOf(...syncStates),
    last_synced_at: nullable(Timestamp),
    error_message: nullable(text(1_000)),
    error_code: nullable(oneOf(...failureCodes)),
    attempts: Type.Integer({ minimum: 0, maximum: 1_000, format: 'int32' }),
    next_attempt_at: nullable(Timestamp),
    in_sync: Type.Boolean({
      description: 'Whether the PMS has accepted the latest change, and was verified to show it.',
    }),
    pending_changes: Whole,
    behind_since: nullable(Timestamp),
    stale: Type.Boolean({ description: 'Whether it is behind for longer than its target allows.' }),
    warnings: Type.Array(
      Type.Object({
        code: oneOf('plan_not_linked'),
        rate_plan_id: Id,
        message: text(1_000, 'What is not sent to the PMS, for people.'),
      }),
      {
        maxItems: 1_000,
        description:
          'Active rate plans of the unit that the listing does not link: changes of them are not pushed.',
      },
    ),
    verification: nullable(oneOf('pending', 'verified')),
    unverified_since: nullable(Timestamp),
    verified_at: nullable(Timestamp),
  },
  { title: 'SyncStatus' },
)

const Mode = oneOf('delta', 'full')
export const SyncTriggered = Type.Object(
  {
    ...SyncStatus.properties,
    job_id: Id,
    mode: Mode,
    trigger: oneOf('manual'),
    coalesced: Type.Boolean({ description: 'Whether a job for this listing was waiting already.' }),
    queued_at: Timestamp,
  },
  { title: 'SyncTriggered' },
)

export const SyncTrigger = Type.Object(
  { channel_listing_id: Id, mode: Type.Optional(Mode) },
  {
    title: 'SyncTrigger',
    example: { channel_listing_id: '0b6f2a4e-7c1d-4e8b-9f3a-5d2c1b0a9e8f', mode: 'full' },
    additionalProperties: false,
  },
)

const SentRequest = Type.Object({ method: text(16), path: text(2_048), payload_hash: text(80) })
const ReceivedResponse = Type.Object({
  http_status: nullable(Type.Integer({ minimum: 100, maximum: 999, format: 'int32' })),
  request_id: nullable(text(200)),
  summary: text(1_000),
})
const PushError = Type.Object({
  code: identifier(64),
  message: text(1_000),
  retryable: Type.Boolean(),
  hint: text(1_000, 'What an operator can do about it.'),
})

const Run = { date_from: Day, date_to: Day }
const PushedNights = Type.Object(
  {
    ...Run,
    values: Whole,
    rooms: Type.Array(Type.Object({ ...Run, available: Whole }), { maxItems: 50 }),
    rates: Type.Array(
      Type.Object({ rate_plan_id: Id, ...Run, ...Type.Partial(Type.Object(Terms)).properties }),
      {
        maxItems: 50,
      },
    ),
  },
  { description: 'The nights that were sent: the first ranges, and the number of all.' },
)

/** One step of a push or link: the actor, the change, the request, the response, the duration. Never changed. */
export const AuditEntry = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: Id,
    channel_listing_id: nullable(Id),
    channel_target_id: nullable(Id),
    unit_id: nullable(Id),
    job_id: nullable(Id),
    action: identifier(64),
    status: nullable(oneOf(...syncStates)),
    mode: nullable(Mode),
    trigger: nullable(oneOf(...syncTriggers)),
    attempt: nullable(Whole),
    max_attempts: nullable(Whole),
    actor: Type.Object({ type: oneOf('user', 'service', 'system'), id: text(64), name: text(320) }),
    changes: Type.Array(Type.Object({ field: Member, before: Type.Unknown(), after: Type.Unknown() }), {
      maxItems: 1_000,
    }),
    request: nullable(SentRequest),
    response: nullable(ReceivedResponse),
    error: nullable(PushError),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    duration_ms: nullable(Whole),
    next_attempt_at: nullable(Timestamp),
    calendar: nullable(PushedNights),
    trace_id: nullable(Type.String({ pattern: '^[0-9a-f]{32}$', minLength: 32, maxLength: 32 })),
    created_at: Timestamp,
  },
  { title: 'AuditEntry' },
)

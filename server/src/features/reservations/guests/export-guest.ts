import { sql, type RawBuilder } from 'kysely'
import { atomically, type Scope, rows } from '#db/scope.ts'
import { withMembers } from '#db/records.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import { bookingJson } from '#features/reservations/bookings/queries.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import type { Statement } from '#db/statements.ts'
import { containsPattern } from '#db/paging.ts'
import {
  listBookingsOfGuest,
  listConflictsOfGuest,
  assertBookingExists,
  type GuestBooking,
  type Subject,
  type ErasedBooking,
} from './queries.ts'
import { parseSubject, type GuestSubject } from './guest.ts'
import { type GuestTerms, mentionsRecord, searchTerms } from './redact.ts'

const maxPerList = 1_000

/** All that is stored about a guest, as JSON. The export is recorded in the audit log, without guest data. */
export const exportGuest = (scope: Scope, given: GuestSubject): Promise<string> =>
  atomically(scope, async (transaction) => {
    const subject = parseSubject(given)
    await assertBookingExists(transaction, subject)
    const found = await listBookingsOfGuest(transaction, subject, maxPerList + 1)
    const conflicts = await listConflictsOfGuest(transaction, subject)
    const named = found.map(({ id, ...rest }) => ({ booking_id: id, ...rest }))
    const related = await findRelatedRecords(transaction, subject, [...named, ...conflicts], maxPerList)
    const lists = { bookings: found.map(withPmsGuest), ...related }
    const isComplete = Object.values(lists).every(({ length }) => length <= maxPerList)
    const members = Object.entries(lists).map(
      ([name, texts]) => `"${name}":[${texts.slice(0, maxPerList).join(',')}]`,
    )
    addAuditEntries(
      transaction,
      buildAuditEntries(found).map((entry) => ({
        ...entry,
        action: 'guest.exported',
        trigger: 'manual',
        actor: transaction.actor,
        trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
      })),
    )
    const head = { subject: given, created_at: new Date().toISOString(), is_complete: isComplete }
    return `${JSON.stringify(head).slice(0, -1)},${members.join(',')}}`
  })

/** The booking with the guest as the PMS sent it, where recorded. */
const withPmsGuest = (found: GuestBooking) =>
  withMembers(bookingJson(found), found.pms_guest ? { pmsGuest: JSON.stringify(found.pms_guest) } : {})

/** One entry for each account whose bookings were exported. */
const buildAuditEntries = (found: readonly GuestBooking[]) =>
  [...Map.groupBy(found, ({ account_id }) => account_id)].map(([account_id, bookings]) => ({
    account_id,
    changes: [{ field: 'bookings', before: null, after: bookings.length }],
  }))

/** Records about the guest other than bookings, as JSON; up to one more than the limit, to show that there is more. */
interface RelatedRecords {
  readonly quotes: string[]
  readonly payment_intents: string[]
  readonly refunds: string[]
  readonly notifications: string[]
  readonly events: string[]
  readonly webhook_messages: string[]
  readonly booking_conflicts: string[]
}

interface Json {
  readonly json: string
}

async function findRelatedRecords(
  scope: Scope,
  { kind, value }: Subject,
  bookings: readonly ErasedBooking[],
  limit: number,
): Promise<RelatedRecords> {
  const ids = bookings.flatMap(({ booking_id }) => booking_id ?? [])
  const recordIds = new Set([...ids, ...bookings.flatMap(({ pms_booking_id }) => pms_booking_id ?? [])])
  const guest: GuestTerms = {
    emails: kind === 'email' ? [value] : [],
    phones: kind === 'phone' ? [value] : [],
    names: [],
  }
  const patterns = searchTerms(guest).map((term) => containsPattern(JSON.stringify(term).slice(1, -1)))
  const about = sql`any(${ids}::uuid[])`
  const inOrganization = sql`t.org_id = ${scope.orgId}`
  const containsTerm = (text: RawBuilder<unknown>) => sql`${text} ilike any(${patterns}::text[])`
  const texts = async (statement: Statement<Json>) =>
    (await rows(scope, sql<Json>`${statement} limit ${limit + 1}`)).map(({ json }) => json)

  const messages = await rows(
    scope,
    sql<{
      json: string
      body: string
      is_named: boolean
    }>`select t.json, t.body, ${containsTerm(sql`t.body`)} as is_named
      from webhook_messages t where ${inOrganization} and (${containsTerm(sql`t.body`)}
        or t.body like any(${[...recordIds].map(containsPattern)}::text[])) order by t.received_at, t.id limit ${limit + 1}`,
  )
  const aboutGuest = messages.filter(
    ({ body, is_named }) => is_named || mentionsRecord(JSON.parse(body), recordIds),
  )
  return {
    quotes: await texts(sql<Json>`select t.json from quotes t where ${inOrganization}
      and (t.booking_id = ${about} or t.hold_booking_id = ${about}) order by t.created_at, t.id`),
    payment_intents: await texts(sql<Json>`select t.json from payment_intents t
      where ${inOrganization} and t.booking_id = ${about} order by t.created_at, t.id`),
    refunds: await texts(sql<Json>`select t.json from payment_refunds t
      join payment_intents p on p.org_id = t.org_id and p.id = t.payment_intent_id
      where ${inOrganization} and p.booking_id = ${about} order by t.created_at, t.id`),
    notifications:
      await texts(sql<Json>`select left(t.json, -1) || ',"story":' || t.story::text || '}' as json
      from notifications t where ${inOrganization} and (t.subject_id = ${about} or t.story ->> 'bookingId' = any(${ids}::text[])
        or ${containsTerm(sql`t.recipient`)} or ${containsTerm(sql`t.story::text`)}) order by t.created_at, t.id`),
    events:
      await texts(sql<Json>`select event_json(t.id, t.org_id, t.account_id, t.type, t.subject_id, t.data, t.occurred_at)
      as json from events t where ${inOrganization} and t.only_for is null
        and (t.subject_id = ${about} or ${containsTerm(sql`t.data::text`)}) order by t.occurred_at, t.id`),
    webhook_messages: aboutGuest.map(({ json, body }) => `${json.slice(0, -1)},"body":${body}}`),
    booking_conflicts: await texts(sql<Json>`select t.json from booking_conflicts t where ${inOrganization}
      and (t.booking_id = ${about} or ${containsTerm(sql`t.booking::text`)}) order by t.created_at, t.id`),
  }
}

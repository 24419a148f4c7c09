import { sql, type Fragment, type Statement } from '#db/sql.ts'
import { atomically, first, type Scope, rows } from '#db/scope.ts'
import { withMembers } from '#db/records.ts'
import { bookingJson } from '#features/reservations/bookings/queries.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { containsPattern } from '#db/paging.ts'
import type { ErasedBooking } from './erased-bookings.ts'
import {
  listBookingsOfGuest,
  listConflictsOfGuest,
  assertBookingExists,
  type GuestBooking,
  type Subject,
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
  const inOrganization = sql`record.org_id = ${scope.orgId}`
  const containsTerm = (text: Fragment) => sql`${text} ilike any(${patterns}::text[])`
  const texts = async (statement: Statement<Json>) =>
    (await rows(scope, sql<Json>`${statement} limit ${limit + 1}`)).map(({ json }) => json)

  const messages = await searchInParts(
    { scope, table: 'webhook_messages', limit },
    (part) => sql<{ json: string; body: string; is_named: boolean }>`
      select record.json, record.body, ${containsTerm(sql`record.body`)} as is_named
      from webhook_messages record
      where ${inOrganization}${part}
        and (${containsTerm(sql`record.body`)}
          or record.body like any(${[...recordIds].map(containsPattern)}::text[]))
      order by record.received_at, record.id`,
  )
  const notifications = await searchInParts(
    { scope, table: 'notifications', limit },
    (part) => sql<Json>`
      select left(record.json, -1) || ',"story":' || record.story::text || '}' as json
      from notifications record
      where ${inOrganization}${part}
        and (record.subject_id = ${about}
          or record.story ->> 'bookingId' = any(${ids}::text[])
          or ${containsTerm(sql`record.recipient`)}
          or ${containsTerm(sql`record.story::text`)})
      order by record.created_at, record.id`,
  )
  const events = await searchInParts(
    { scope, table: 'events', limit },
    (part) => sql<Json>`
      select event_json(record.id, record.org_id, record.account_id, record.type, record.subject_id, record.data,
        record.occurred_at) as json
      from events record
      where ${inOrganization}${part}
        and record.only_for is null
        and (record.subject_id = ${about} or ${containsTerm(sql`record.data::text`)})
      order by record.occurred_at, record.id`,
  )
  const aboutGuest = messages.filter(
    ({ body, is_named }) => is_named || mentionsRecord(JSON.parse(body), recordIds),
  )
  return {
    quotes: await texts(sql<Json>`
      select record.json
      from quotes record
      where ${inOrganization}
        and (record.booking_id = ${about} or record.hold_booking_id = ${about})
      order by record.created_at, record.id`),
    payment_intents: await texts(sql<Json>`
      select record.json
      from payment_intents record
      where ${inOrganization}
        and record.booking_id = ${about}
      order by record.created_at, record.id`),
    refunds: await texts(sql<Json>`
      select record.json
      from payment_refunds record
      join payment_intents intent
        on intent.org_id = record.org_id
        and intent.id = record.payment_intent_id
      where ${inOrganization}
        and intent.booking_id = ${about}
      order by record.created_at, record.id`),
    notifications: notifications.map(({ json }) => json),
    events: events.map(({ json }) => json),
    webhook_messages: aboutGuest.map(({ json, body }) => `${json.slice(0, -1)},"body":${body}}`),
    booking_conflicts: await texts(sql<Json>`
      select record.json
      from booking_conflicts record
      where ${inOrganization}
        and (record.booking_id = ${about} or ${containsTerm(sql`record.booking::text`)})
      order by record.created_at, record.id`),
  }
}

/** So many records are searched by one statement: one for a million would take longer than a statement of a request may. */
const partSize = 5_000
const timeOf = {
  events: 'occurred_at',
  notifications: 'created_at',
  webhook_messages: 'received_at',
} as const

type SearchedTable = keyof typeof timeOf

/** Searches the records of an organization in parts, in the order of a time. Stops when more than `limit` are found. */
async function searchInParts<Row>(
  { scope, table, limit }: { scope: Scope; table: SearchedTable; limit: number },
  search: (part: Fragment) => Statement<Row>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let from: string | null = '-infinity'; from !== null && found.length <= limit;) {
    const end: string | null = await findEndOfPart(scope, table, from)
    const at = sql.ref(`record.${timeOf[table]}`)
    const part = sql` and ${at} > ${from}::timestamptz and ${at} <= ${end ?? 'infinity'}::timestamptz`
    found.push(...(await rows(scope, sql<Row>`${search(part)} limit ${limit + 1}`)))
    from = end
  }
  return found
}

/** Null when fewer records follow than a part has. */
async function findEndOfPart(scope: Scope, table: SearchedTable, from: string): Promise<string | null> {
  const at = sql.ref(`record.${timeOf[table]}`)
  const last = await first(
    scope,
    sql<{ at: string }>`
      select ${at} as at
      from ${sql.ref(table)} record
      where record.org_id = ${scope.orgId} and ${at} > ${from}::timestamptz
      order by ${at}
      offset ${partSize - 1}
      limit 1`,
  )
  return last?.at ?? null
}

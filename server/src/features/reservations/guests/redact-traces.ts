import { sql, type Fragment, type Statement } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { containsPattern } from '#db/paging.ts'
import {
  matchAnyPattern,
  mentionsRecord,
  searchTerms,
  buildReplacer,
  redactGuest,
  redactForeign,
  type GuestTerms,
} from './redact.ts'

/** By what records other than bookings are found and redacted. */
export interface Traces {
  /** Records about these bookings are about the guest. */
  readonly bookingIds: readonly string[]
  /** The same bookings at the PMS. */
  readonly pms: readonly { readonly targetId: string; readonly id: string }[]
  /** Terms to redact in records about these bookings. */
  readonly guest: GuestTerms
  /** Terms to redact in all records. */
  readonly anywhere: GuestTerms
}

interface TraceRow {
  readonly key: string
  readonly text: string
}

type TraceKind = 'events' | 'idempotency_keys' | 'webhook_messages' | 'booking_conflicts' | 'jobs'

/** A kind of record: its table and text, which rows are read, and how the text is redacted. */
interface TraceSource {
  readonly kind: TraceKind
  readonly table: Fragment
  readonly key: Fragment
  readonly text: Fragment
  readonly about: (traces: Traces) => Fragment
  readonly redact: (text: string, traces: Traces) => string
  readonly set: (text: Fragment) => Fragment
}

/** For comparison: PostgreSQL formats JSON with other white space. */
const normalizeJson = (text: string) => JSON.stringify(JSON.parse(text))
const inOrg = (orgId: string) => sql`org_id = ${orgId}`
const redactJson = (redact: typeof redactGuest) => (text: string, traces: Traces) => {
  const value: unknown = JSON.parse(text)
  const isAbout = mentionsRecord(value, new Set([...traces.bookingIds, ...traces.pms.map(({ id }) => id)]))
  return JSON.stringify(isAbout ? redact(value, traces.guest) : redactTerms(text, traces.anywhere))
}

/** Redacts only the terms of the guest, in a record about somebody else. */
function redactTerms(text: string, guest: GuestTerms): unknown {
  const replace = buildReplacer(guest)
  return JSON.parse(text, (_name, part: unknown) => (typeof part === 'string' ? replace(part) : part))
}

const containsAny = (text: Fragment, terms: readonly string[]) =>
  sql`${text} ilike any(${terms.map((term) => containsPattern(JSON.stringify(term).slice(1, -1)))}::text[])`
/** Foreign JSON may contain escaped characters, which `ilike` cannot match. */
const hasEscapes = (text: Fragment) => sql`strpos(${text}, '\\u') > 0`
const pmsIds = ({ pms }: Traces) => pms.map(({ id }) => id)

const body = sql`body`
const sources: readonly TraceSource[] = [
  {
    kind: 'events',
    ...{ table: sql`events`, key: sql`id::text`, text: sql`data::text` },
    about: ({ bookingIds }) => sql`subject_id = any(${bookingIds}::uuid[])`,
    redact: (text, traces) => redactJson(redactGuest)(text, traces),
    set: (text) => sql`data = ${text}::json`,
  },
  {
    kind: 'idempotency_keys',
    ...{
      table: sql`idempotency_keys`,
      key: sql`operation || ' ' || key || ' ' || extract(epoch from created_at)`,
      text: body,
    },
    about: ({ bookingIds }) => containsAny(body, bookingIds),
    redact: redactJson(redactGuest),
    set: (text) => sql`body = ${text}`,
  },
  {
    kind: 'webhook_messages',
    ...{ table: sql`webhook_messages`, key: sql`id::text`, text: body },
    about: (traces) => sql`channel_target_id = any(${traces.pms.map(({ targetId }) => targetId)}::uuid[])
      and (${hasEscapes(body)} or ${containsAny(body, pmsIds(traces))})`,
    redact: redactJson(redactForeign),
    set: (text) => sql`body = case when status = 'received' then body else ${text} end`,
  },
  {
    kind: 'booking_conflicts',
    ...{ table: sql`booking_conflicts`, key: sql`id::text`, text: sql`booking::text` },
    about: (
      traces,
    ) => sql`booking_id = any(${traces.bookingIds}::uuid[]) or (channel_target_id, pms_booking_id) in
      (select * from unnest(${traces.pms.map(({ targetId }) => targetId)}::uuid[], ${pmsIds(traces)}::text[]))`,
    redact: (text, traces) => JSON.stringify(redactGuest(JSON.parse(text), traces.guest)),
    set: (text) => sql`booking = ${text}::jsonb, version = version + 1, updated_at = clock_timestamp()`,
  },
  {
    kind: 'jobs',
    ...{ table: sql`queue.jobs`, key: sql`id::text`, text: sql`data::text` },
    about: (traces) => containsAny(sql`data::text`, pmsIds(traces)),
    redact: redactJson(redactGuest),
    set: (text) => sql`data = ${text}::jsonb`,
  },
]

const batchSize = 200

/**
 * Redacts the next rows of a source, after a key. Returns the last key that was read, null at the end, and how many
 * rows have changed.
 */
export async function redactBatch(
  transaction: Transaction,
  kind: TraceKind,
  traces: Traces,
  after: string,
): Promise<{ last: string | null; changed: number }> {
  const source = sources.find((one) => one.kind === kind)!
  const { table, key, text } = source
  const inOrganization = inOrg(transaction.orgId)
  const found = await rows(
    transaction,
    sql<TraceRow>`select ${key} as key, ${text} as text from ${table} where ${inOrganization} and ${key} > ${after}
      and (${source.about(traces)} or ${containsAny(text, searchTerms(traces.anywhere))})
      order by 1 limit ${batchSize} for update`,
  )
  const redacted = found
    .map((row) => ({ ...row, newText: source.redact(row.text, traces) }))
    .filter((row) => row.newText !== normalizeJson(row.text))
  // All at once, because their table is read for them: its index has no texts of keys.
  if (redacted.length > 0)
    await rows(
      transaction,
      sql`update ${table} set ${source.set(sql`redacted.new_text`)}
        from unnest(${redacted.map((row) => row.key)}::text[], ${redacted.map((row) => row.newText)}::text[])
          as redacted (row_key, new_text)
        where ${inOrganization} and ${key} = redacted.row_key`,
    )
  return { last: found.length < batchSize ? null : found.at(-1)!.key, changed: redacted.length }
}

export const traceKinds = sources.map(({ kind }) => kind)

const redactEach = (texts: Fragment, pattern: string) => sql`(
  select array_agg(regexp_replace(text, ${pattern}, 'erased', 'gi') order by position)
  from unnest(${texts}) with ordinality as each (text, position)
)`

/** Redacts messages to people and texts by people, with one statement for each table. */
export async function redactFreeText(
  transaction: Transaction,
  traces: Traces,
): Promise<Record<string, number>> {
  const inOrganization = inOrg(transaction.orgId)
  const terms = searchTerms(traces.anywhere)
  const containsTerm = (text: Fragment) => containsAny(text, terms)
  const about = sql`any(${traces.bookingIds}::uuid[])`
  const count = async (statement: Statement) =>
    (await first(
      transaction,
      sql<{ count: number }>`with changed as (${statement})
      select count(*)::int as count from changed`,
    ))!.count
  const pattern = matchAnyPattern(terms)
  const escapedPattern = matchAnyPattern(terms.map((term) => JSON.stringify(term).slice(1, -1)))
  const history =
    terms.length > 0 &&
    (await first(transaction, sql<{ count: number }>`select erase_from_reasons(${escapedPattern}) as count`))
  return {
    history: history ? history.count : 0,
    notifications:
      await count(sql`update notifications set subject = 'erased', story = '{}', error_message = null,
        recipient = case when audience = 'guest' or ${containsTerm(sql`recipient`)} then 'erased ' || id else recipient end,
        error_code = case when status = 'queued' then 'guest_erased' else error_code end,
        status = case when status = 'queued' then 'failed' else status end, next_attempt_at = null,
        version = version + 1, updated_at = clock_timestamp()
      where ${inOrganization} and story <> '{}' and (subject_id = ${about} or story ->> 'bookingId' = any(${traces.bookingIds}::text[])
        or ${containsTerm(sql`recipient`)} or ${containsTerm(sql`subject`)} or ${containsTerm(sql`story::text`)}) returning 1`),
    // Of an attempt that is open, neither the response nor the result is stored: the event is sent again, without the guest.
    webhook_deliveries: await count(sql`update webhook_deliveries
      set response_body = null, claim = null, claimed_until = null, version = version + 1
      where ${inOrganization} and (${containsTerm(sql`response_body`)}
        or (response_body is not null or claim is not null)
          and event_id in (select id from events where ${inOrganization} and subject_id = ${about})) returning 1`),
    alerts: await count(sql`update alerts set message = 'erased', details = '{}', version = version + 1
      where ${inOrganization} and (${containsTerm(sql`message`)} or ${containsTerm(sql`details::text`)}) returning 1`),
    calendar_blocks: await count(
      sql`update calendar_blocks set reason = null where ${inOrganization} and ${containsTerm(sql`reason`)} returning 1`,
    ),
    calendar_changes:
      terms.length > 0
        ? await count(
            sql`update calendar_change_parts
              set old_reason = ${redactEach(sql`old_reason`, pattern)}, reason = ${redactEach(sql`reason`, pattern)}
              where ${inOrganization} and array_to_string(old_reason || reason, ' ') ~* ${pattern} returning 1`,
          )
        : 0,
    file_import_rows: await count(sql`update file_import_rows set cells = null, errors = '[]'
      where ${inOrganization} and (record_id = ${about} and (cells is not null or errors <> '[]')
        or ${containsTerm(sql`cells::text`)} or ${containsTerm(sql`errors::text`)}) returning 1`),
    sales_stops: await count(sql`update sales_stops set reason = null, version = version + 1
      where ${inOrganization} and ${containsTerm(sql`reason`)} returning 1`),
    dismissals:
      await count(sql`update booking_conflicts set dismissal_reason = 'erased', version = version + 1,
        updated_at = clock_timestamp()
      where ${inOrganization} and ${containsTerm(sql`dismissal_reason`)} returning 1`),
    notes: await count(sql`update bookings set version = version + 1, updated_at = now(),
        notes = case when ${containsTerm(sql`notes`)} then null else notes end,
        pms_notes = case when ${containsTerm(sql`pms_notes`)} then null else pms_notes end
      where ${inOrganization} and (${containsTerm(sql`notes`)} or ${containsTerm(sql`pms_notes`)}) returning 1`),
  }
}

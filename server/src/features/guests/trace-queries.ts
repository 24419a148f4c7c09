import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import { containing } from '#http/paging.ts'
import {
  anyOf as patternOf,
  mentions,
  needlesOf,
  replacing,
  withoutGuest,
  withoutWords,
  type Guest,
} from './redact.ts'

/** Everything beside the bookings in which a guest may stand. */
export interface Traces {
  /** The bookings of the guest: what is about them speaks of the guest. */
  readonly bookingIds: readonly string[]
  /** Their names at the PMS. */
  readonly pms: readonly { readonly targetId: string; readonly id: string }[]
  /** Recognizes the guest in what is about these bookings. */
  readonly guest: Guest
  /** Recognizes the guest anywhere. */
  readonly anywhere: Guest
}

interface Row {
  readonly key: string
  readonly text: string
}

/** One kind of record: where its text stands, which rows are looked at, and what becomes of a text. */
interface Place {
  readonly kind: string
  readonly table: RawBuilder<unknown>
  readonly key: RawBuilder<unknown>
  readonly text: RawBuilder<unknown>
  /** Which rows at all. */
  readonly stage?: RawBuilder<unknown>
  readonly about: (traces: Traces) => RawBuilder<unknown>
  readonly mend: (text: string, traces: Traces) => string
  readonly set: (text: string) => RawBuilder<unknown>
}

/** As it is written when it was read: PostgreSQL puts spaces of its own. */
const plain = (text: string) => JSON.stringify(JSON.parse(text))
const inOrg = (orgId: string) => sql`org_id = ${orgId}`
const json = (how: typeof withoutGuest) => (text: string, traces: Traces) => {
  const value: unknown = JSON.parse(text)
  const isAbout = mentions(value, new Set([...traces.bookingIds, ...traces.pms.map(({ id }) => id)]))
  return JSON.stringify(isAbout ? how(value, traces.guest) : wordsOnly(text, traces.anywhere))
}

/** Of what is about somebody else, only what recognizes the guest is taken out. */
function wordsOnly(text: string, guest: Guest): unknown {
  const replace = replacing(guest)
  return JSON.parse(text, (_name, part: unknown) => (typeof part === 'string' ? replace(part) : part))
}

const anyOf = (text: RawBuilder<unknown>, needles: readonly string[]) =>
  sql`${text} ilike any(${needles.map((needle) => containing(JSON.stringify(needle).slice(1, -1)))}::text[])`
/** What somebody else has spelled may hide a letter. */
const escaped = (text: RawBuilder<unknown>) => sql`strpos(${text}, '\\u') > 0`
const pmsNames = ({ pms }: Traces) => pms.map(({ id }) => id)

const body = sql`body`
const places: readonly Place[] = [
  {
    kind: 'events',
    ...{ table: sql`events`, key: sql`id::text`, text: sql`data::text` },
    about: ({ bookingIds }) => sql`subject_id = any(${bookingIds}::uuid[])`,
    mend: (text, traces) => json(withoutGuest)(text, traces),
    set: (text) => sql`data = ${text}::json`,
  },
  {
    kind: 'idempotency_keys',
    ...{ table: sql`idempotency_keys`, key: sql`operation || ' ' || key`, text: body },
    about: ({ bookingIds }) => anyOf(body, bookingIds),
    mend: json(withoutGuest),
    set: (text) => sql`body = ${text}`,
  },
  {
    kind: 'webhook_messages',
    ...{ table: sql`webhook_messages`, key: sql`id::text`, text: body },
    about: (traces) => sql`channel_target_id = any(${traces.pms.map(({ targetId }) => targetId)}::uuid[])
      and (${escaped(body)} or ${anyOf(body, pmsNames(traces))})`,
    mend: json(withoutWords),
    set: (text) => sql`body = case when status = 'received' then body else ${text} end`,
  },
  {
    kind: 'booking_conflicts',
    ...{ table: sql`booking_conflicts`, key: sql`id::text`, text: sql`booking::text` },
    about: (
      traces,
    ) => sql`booking_id = any(${traces.bookingIds}::uuid[]) or (channel_target_id, pms_booking_id) in
      (select * from unnest(${traces.pms.map(({ targetId }) => targetId)}::uuid[], ${pmsNames(traces)}::text[]))`,
    mend: (text, traces) => JSON.stringify(withoutGuest(JSON.parse(text), traces.guest)),
    set: (text) => sql`booking = ${text}::jsonb, version = version + 1, updated_at = clock_timestamp()`,
  },
  // What a job still has to act on keeps its form; what is done keeps nothing but names of records.
  ...(['created', 'done'] as const).map((stage): Place => ({
    kind: stage === 'done' ? 'jobs' : 'waiting_jobs',
    ...{ table: sql`pgboss.job`, key: sql`id::text`, text: sql`data::text` },
    about: (traces) => anyOf(sql`data::text`, pmsNames(traces)),
    stage: stage === 'done' ? sql`state > 'active'` : sql`state <= 'active'`,
    mend: json(stage === 'done' ? withoutWords : withoutGuest),
    set: (text) => sql`data = ${text}::jsonb, output = null`,
  })),
]

const atOnce = 200

/**
 * Mends the next rows of a place, behind a key; answers with the last key that was looked at, null at the end, and how
 * many rows have changed.
 */
export async function mendSome(
  transaction: Transaction,
  kind: string,
  traces: Traces,
  after: string,
): Promise<{ last: string | null; changed: number }> {
  const place = places.find((one) => one.kind === kind)!
  const { table, key, text } = place
  const mine = place.stage
    ? sql`data ->> 'org_id' = ${transaction.orgId} and ${place.stage}`
    : inOrg(transaction.orgId)
  const found = await rows(
    transaction,
    sql<Row>`select ${key} as key, ${text} as text from ${table} where ${mine} and ${key} > ${after}
      and (${place.about(traces)} or ${anyOf(text, needlesOf(traces.anywhere))})
      order by 1 limit ${atOnce} for update`,
  )
  let changed = 0
  for (const row of found) {
    const mended = place.mend(row.text, traces)
    if (mended === plain(row.text)) continue
    await rows(
      transaction,
      sql`update ${table} set ${place.set(mended)} where ${mine} and ${key} = ${row.key}`,
    )
    changed++
  }
  return { last: found.length < atOnce ? null : found.at(-1)!.key, changed }
}

export const tracePlaces = places.map(({ kind }) => kind)

/** What is told to people, and what they wrote: short enough for one statement each. */
export async function mendWords(transaction: Transaction, traces: Traces): Promise<Record<string, number>> {
  const mine = inOrg(transaction.orgId)
  const needles = needlesOf(traces.anywhere)
  const named = (text: RawBuilder<unknown>) => anyOf(text, needles)
  const about = sql`any(${traces.bookingIds}::uuid[])`
  const count = async (statement: RawBuilder<unknown>) =>
    (await first(
      transaction,
      sql<{ count: number }>`with done as (${statement} returning 1)
      select count(*)::int as count from done`,
    ))!.count
  const spelled = patternOf(needles.map((needle) => JSON.stringify(needle).slice(1, -1)))
  const history =
    needles.length > 0 &&
    (await first(transaction, sql<{ count: number }>`select erase_from_reasons(${spelled}) as count`))
  return {
    history: history ? history.count : 0,
    notifications:
      await count(sql`update notifications set subject = 'erased', story = '{}', error_message = null,
        recipient = case when audience = 'guest' or ${named(sql`recipient`)} then 'erased ' || id else recipient end,
        error_code = case when status = 'queued' then 'guest_erased' else error_code end,
        status = case when status = 'queued' then 'failed' else status end, next_attempt_at = null,
        version = version + 1, updated_at = clock_timestamp()
      where ${mine} and story <> '{}' and (subject_id = ${about} or story ->> 'bookingId' = any(${traces.bookingIds}::text[])
        or ${named(sql`recipient`)} or ${named(sql`subject`)} or ${named(sql`story::text`)})`),
    webhook_deliveries:
      await count(sql`update webhook_deliveries set response_body = null, version = version + 1
      where ${mine} and response_body is not null and (${named(sql`response_body`)}
        or event_id in (select id from events where ${mine} and subject_id = ${about}))`),
    alerts: await count(sql`update alerts set message = 'erased', details = '{}', version = version + 1
      where ${mine} and (${named(sql`message`)} or ${named(sql`details::text`)})`),
    calendar_blocks: await count(
      sql`update calendar_blocks set reason = null where ${mine} and ${named(sql`reason`)}`,
    ),
    sales_stops: await count(sql`update sales_stops set reason = null, version = version + 1
      where ${mine} and ${named(sql`reason`)}`),
    dismissals:
      await count(sql`update booking_conflicts set dismissal_reason = 'erased', version = version + 1,
        updated_at = clock_timestamp()
      where ${mine} and ${named(sql`dismissal_reason`)}`),
    notes: await count(sql`update bookings set version = version + 1, updated_at = now(),
        notes = case when ${named(sql`notes`)} then null else notes end,
        pms_notes = case when ${named(sql`pms_notes`)} then null else pms_notes end
      where ${mine} and (${named(sql`notes`)} or ${named(sql`pms_notes`)})`),
  }
}

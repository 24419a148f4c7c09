import { type Scope, rows } from '#db/scope.ts'
import { csvLine } from '#schema/csv.ts'
import { sql, type Fragment } from '#db/sql.ts'
import { filterClause, hasText, pageClause, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'

/** The number of entries in memory at a time, however many are exported. */
const pageSize = 500

interface Entry {
  readonly id: string
  readonly actor: { readonly name: string; readonly type: string }
  readonly action: string
  readonly kind: string
  readonly record_id: string | null
  readonly name: string | null
  readonly created_at: string
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
}

const columns = [
  'created_at',
  'actor',
  'actor_type',
  'action',
  'kind',
  'name',
  'record_id',
  'field',
  'before',
  'after',
]

/** The lines of a CSV file (RFC 4180): one for each changed field, or one for an entry without any. */
export async function* exportAuditLog(scope: Scope, filter: AuditLogFilter): AsyncGenerator<string> {
  // The byte order mark tells Excel that the file is UTF-8.
  let text = `\uFEFF${csvLine(columns)}`
  let after: { value: string; id: string } | null = null
  for (;;) {
    const found: Awaited<ReturnType<typeof listAuditLog>> = await listAuditLog(scope, filter, {
      ...{ limit: pageSize, sort: '-created_at', after },
      cursorAt: () => '',
    })
    const page = found.slice(0, pageSize)
    for (const { json } of page) text += linesOf(JSON.parse(json) as Entry)
    yield text
    text = ''
    const last = page.at(-1)
    if (!last || found.length <= pageSize) return
    after = { value: last.sort_value, id: last.id }
  }
}

function linesOf({ created_at, actor, action, kind, name, record_id, changes }: Entry): string {
  const entry = [created_at, actor.name, actor.type, action, kind, name, record_id]
  if (changes.length === 0) return csvLine(entry)
  return changes.map(({ field, before, after }) => csvLine([...entry, field, before, after])).join('')
}

interface AuditLogFilter {
  readonly q?: string
  readonly actor_id?: readonly string[]
  readonly kind?: readonly string[]
  readonly record_id?: readonly string[]
  readonly action?: readonly string[]
  readonly from?: string
  readonly to?: string
}

const filterColumns = ['actor_id', 'kind', 'record_id', 'action']
/** What few entries have is in indexes of its own, which PostgreSQL uses where it reads their condition. */
const frequent = {
  kind: ['unit', 'booking', 'rate_plan', 'channel_listing'],
  action: ['created', 'updated'],
}

/** As coalesce, which PostgreSQL does not look up in an index for a role under row-level security. */
const orRecordId = (column: string) =>
  sql`case when ${sql.ref(column)} is not null then ${sql.ref(column)} else found.record_id end`

/** The decisions that sync_audit has; records with a trigger have theirs in audit_entries. */
const decisions = sql`
  select
    id, org_id, created_at, actor, actor ->> 'id' as actor_id, unit_id,
    case split_part(action, '.', 1) when 'sales' then 'sales_stop' else split_part(action, '.', 1) end as kind,
    substring(action from '[.](.*)$') as action, null as name, null as currency, changes,
    case
      when action not like 'booking.%' then unit_id
      when coalesce(changes -> 0 ->> 'after', changes -> 0 ->> 'before') ~ '^[0-9a-f-]{36}$'
        then coalesce(changes -> 0 ->> 'after', changes -> 0 ->> 'before')::uuid
    end as record_id
  from sync_audit
  where action !~ '^(sync|listing|target)[.]'`

const entries = sql`
  select
    id, org_id, created_at, actor, actor ->> 'id' as actor_id, null::uuid as unit_id, kind, action, name, currency,
    changes, record_id
  from audit_entries
  union all
  ${decisions}`

/**
 * What people decided, of all records. Each of the two tables is read from its index in the order of the list, and only
 * as far as the page goes.
 */
export function listAuditLog(scope: Scope, { q, from, to, ...filter }: AuditLogFilter, page: PageRequest) {
  const named =
    q === undefined
      ? sql``
      : sql` and (${hasText(sql`entry.name`, q)} or ${hasText(sql`entry.actor ->> 'name'`, q)})`
  const after = from ? sql` and entry.created_at >= ${from}::timestamptz` : sql``
  const before = to ? sql` and entry.created_at < ${to}::timestamptz` : sql``
  const rare = (['kind', 'action'] as const)
    .filter((name) => filter[name]?.every((value) => !frequent[name].includes(value)))
    .map((name) => sql` and ${sql.ref(`entry.${name}`)} not in (${sql.join(frequent[name].map(sql.lit))})`)
  const direction = sql.raw(page.sort.startsWith('-') ? 'desc' : 'asc')
  const pageOf = (from: Fragment, which: Fragment) => sql`
    select entry.*
    from ${from}
    where ${which}${named}${after}${before}${sql.join(rare, '')}
      ${filterClause('entry', filter, filterColumns)}${pageClause('entry', page)}`
  const inOrder = (which = sql``) =>
    pageOf(sql`(${entries}) entry`, sql`entry.org_id = ${scope.orgId}${which}`)
  const actors = filter.actor_id ?? null
  // Few entries that have the text or the actor are found by indexes; of many, a page is soon full.
  const pages =
    q === undefined && !actors
      ? inOrder()
      : sql`
        with few as materialized (select ids, times from few_decisions(${q ?? null}, ${actors}::text[]))
        (${pageOf(
          sql`
            few
            cross join lateral unnest(few.ids, few.times) one (id, created_at)
            cross join lateral (
              select entry.*
              from (${entries}) entry
              where entry.org_id = ${scope.orgId} and entry.created_at = one.created_at and entry.id = one.id
              offset 0
            ) entry`,
          sql`true`,
        )})
        union all
        (${inOrder(sql` and (select few.ids from few) is null`)})`
  return rows(
    scope,
    sql<ListedRecord>`
      select found.id, found.created_at as sort_value, row_to_json(shown)::text as json
      from (
        select page.* from (${pages}) page
        order by page.created_at ${direction}, page.id ${direction}
        limit ${page.limit + 1}
      ) found
      left join units unit
        on unit.org_id = found.org_id
        and unit.id = found.unit_id
      left join payment_refunds refund
        on found.kind = 'payment_refund'
        and refund.org_id = found.org_id
        and refund.id = found.record_id
      left join payment_intents intent
        on found.kind in ('payment_intent', 'payment_refund')
        and intent.org_id = found.org_id
        and intent.id = ${orRecordId('refund.payment_intent_id')}
      left join lateral (
        -- Looked up for each entry: a join would read all bookings.
        select booking.guest_name, booking.currency
        from bookings booking
        where found.kind in ('booking', 'payment_intent', 'payment_refund')
          and booking.org_id = found.org_id
          and booking.id = ${orRecordId('intent.booking_id')}
        offset 0
      ) booking on true
      cross join lateral (
        select
          found.id, found.org_id, found.actor, found.action, found.kind, found.record_id, found.unit_id,
          coalesce(found.name, booking.guest_name, unit.name) as name,
          coalesce(found.currency, booking.currency, unit.currency) as currency,
          case when found.kind = 'booking' then found.changes - 0 else found.changes end as changes,
          iso(found.created_at) as created_at
      ) shown
      order by found.created_at ${direction}, found.id ${direction}`,
  )
}

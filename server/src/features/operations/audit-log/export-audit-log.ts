import type { Scope } from '#db/scope.ts'
import { csvLine } from '#schema/csv.ts'
import { listAuditLog, type AuditLogFilter } from './queries.ts'

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

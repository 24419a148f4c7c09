import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openJournal, readJournal } from './journal.ts'
import type { Unit, UnitFields } from './unit.ts'

const keptReplies = 10_000
const compactAfterBytes = 64 * 1024 * 1024

/** The mark of one request: its key, and a digest of all it asked for. */
export type Mark = { key: string; digest: string }

type Entry = { property: string; unit: Unit; mark?: Mark }

export type Store = ReturnType<typeof openStore>

/** Everything the property management system remembers: on disk with a home, else in memory. */
export function openStore(home?: string) {
  const properties = new Map<string, Map<string, Unit>>()
  const replies = new Map<string, Entry>()
  const path = home === undefined ? undefined : join(home, 'pms.jsonl')
  if (path) for (const entry of readJournal(path)) keep(entry as Entry)
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(everything())

  return {
    find: (property: string, externalId: string) => properties.get(property)?.get(externalId),

    list: (property: string) => [...(properties.get(property)?.values() ?? [])],

    /** The answer once given under this key. */
    replied: (property: string, key: string) => replies.get(replyKey(property, key)),

    /** Keeps the unit; one that says nothing new stays at its revision. */
    save(property: string, externalId: string, fields: UnitFields, mark: Mark | undefined): Unit {
      const before = properties.get(property)?.get(externalId)
      const unit = before && saysTheSame(before, fields) ? before : nextRevision(externalId, fields, before)
      if (unit === before && !mark) return unit
      const entry = { property, unit, ...(mark ? { mark } : {}) }
      journal?.append(entry)
      keep(entry)
      if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(everything())
      return unit
    },

    close: () => journal?.close(),
  }

  function keep(entry: Entry) {
    const units = properties.get(entry.property) ?? new Map<string, Unit>()
    properties.set(entry.property, units.set(entry.unit.external_id, entry.unit))
    if (!entry.mark) return
    replies.set(replyKey(entry.property, entry.mark.key), entry)
    if (replies.size > keptReplies) replies.delete(replies.keys().next().value as string)
  }

  /** Replies first: they may hold earlier revisions, which the present ones then replace. */
  function* everything(): Generator<Entry> {
    yield* replies.values()
    for (const [property, units] of properties) for (const unit of units.values()) yield { property, unit }
  }
}

function replyKey(property: string, key: string) {
  return `${property}\n${key}`
}

function saysTheSame({ external_id, revision, updated_at, ...before }: Unit, fields: UnitFields) {
  return isDeepStrictEqual(before, fields)
}

function nextRevision(external_id: string, fields: UnitFields, before: Unit | undefined): Unit {
  return {
    external_id,
    ...fields,
    revision: (before?.revision ?? 0) + 1,
    updated_at: new Date().toISOString(),
  }
}

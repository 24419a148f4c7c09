import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openCalendar, type Told } from './calendar.ts'
import { openJournal, readJournal } from './journal.ts'
import type { Unit, UnitFields } from './unit.ts'

const keptReplies = 10_000
const compactAfterBytes = 64 * 1024 * 1024

/** The mark of one request: its key, and a digest of all it asked for. */
export type Mark = { key: string; digest: string }

/** What was answered: the unit as it then was, or how many values were taken. */
type Replied = { unit: Unit } | { accepted: number }

type Entry = { property: string; mark?: Mark } & Partial<Told> & Partial<{ unit: Unit; accepted: number }>

export type Store = ReturnType<typeof openStore>

/** Everything the property management system remembers: on disk with a home, else in memory. */
export function openStore(home?: string) {
  const properties = new Map<string, Map<string, Unit>>()
  const calendar = openCalendar()
  const replies = new Map<string, { property: string; mark: Mark } & Replied>()
  const path = home === undefined ? undefined : join(home, 'pms.jsonl')
  if (path) for (const entry of readJournal(path)) keep(entry as Entry)
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(everything())

  return {
    find: (property: string, externalId: string) => properties.get(property)?.get(externalId),

    list: (property: string) => [...(properties.get(property)?.values() ?? [])],

    show: calendar.show,

    /** The answer once given under this key. */
    replied: (property: string, key: string) => replies.get(replyKey(property, key)),

    /** Keeps the unit; one that says nothing new stays at its revision. */
    save(property: string, externalId: string, fields: UnitFields, mark: Mark | undefined): Unit {
      const before = properties.get(property)?.get(externalId)
      const unit = before && saysTheSame(before, fields) ? before : nextRevision(externalId, fields, before)
      if (unit !== before || mark) write({ property, unit, ...(mark ? { mark } : {}) })
      return unit
    },

    /** Keeps what was told of nights. */
    tell(property: string, { rooms, rates }: Told, mark: Mark | undefined) {
      const accepted = rooms.length + rates.length
      if (accepted > 0) write({ property, rooms, rates, ...(mark ? { mark, accepted } : {}) })
    },

    close: () => journal?.close(),
  }

  function write(entry: Entry) {
    journal?.append(entry)
    keep(entry)
    if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(everything())
  }

  function keep({ property, unit, rooms = [], rates = [], mark, accepted = 0 }: Entry) {
    if (unit) {
      const units = properties.get(property) ?? new Map<string, Unit>()
      properties.set(property, units.set(unit.external_id, unit))
    } else calendar.tell(property, { rooms, rates })
    if (!mark) return
    replies.set(replyKey(property, mark.key), { property, mark, ...(unit ? { unit } : { accepted }) })
    if (replies.size > keptReplies) replies.delete(replies.keys().next().value as string)
  }

  /** Replies first: they may hold earlier revisions, which the present ones then replace. */
  function* everything(): Generator<Entry> {
    yield* replies.values()
    for (const [property, units] of properties) for (const unit of units.values()) yield { property, unit }
    yield* calendar.everything()
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

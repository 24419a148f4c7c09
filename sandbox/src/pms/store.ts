import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openCalendar, type CalendarValues } from './calendar.ts'
import { openJournal, readJournal } from '../data/journal.ts'
import type { Unit, UnitFields } from './unit.ts'

const maxReplies = 10_000
const compactAfterBytes = 64 * 1024 * 1024

/** The idempotency key of a request, and the digest of its method, path and body. */
export type IdempotencyMark = { key: string; digest: string }

/** What was answered: the unit as it was then, or the number of accepted values. */
type KeptReply = { unit: Unit } | { accepted: number }

type Entry = { property: string; mark?: IdempotencyMark } & Partial<CalendarValues> &
  Partial<{ unit: Unit; accepted: number }>

export type Store = ReturnType<typeof openStore>

/** All state of the PMS: on disk with a home, else in memory. */
export function openStore(home?: string) {
  const properties = new Map<string, Map<string, Unit>>()
  const calendar = openCalendar()
  const replies = new Map<string, { property: string; mark: IdempotencyMark } & KeptReply>()
  const path = home === undefined ? undefined : join(home, 'pms.jsonl')
  if (path) for (const entry of readJournal(path)) apply(entry as Entry)
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(allEntries())

  return {
    find: (property: string, externalId: string) => properties.get(property)?.get(externalId),

    list: (property: string) => [...(properties.get(property)?.values() ?? [])],

    show: calendar.show,

    /** The reply that was given under an idempotency key. */
    findReply: (property: string, key: string) => replies.get(replyKey(property, key)),

    /** Saves a unit. An unchanged unit keeps its revision. */
    save(property: string, externalId: string, fields: UnitFields, mark: IdempotencyMark | undefined): Unit {
      const before = properties.get(property)?.get(externalId)
      const unit = before && isUnchanged(before, fields) ? before : nextRevision(externalId, fields, before)
      if (unit !== before || mark) append({ property, unit, ...(mark ? { mark } : {}) })
      return unit
    },

    /** Saves values of nights. */
    saveCalendar(property: string, { rooms, rates }: CalendarValues, mark: IdempotencyMark | undefined) {
      const accepted = rooms.length + rates.length
      if (accepted > 0) append({ property, rooms, rates, ...(mark ? { mark, accepted } : {}) })
    },

    close: () => journal?.close(),
  }

  function append(entry: Entry) {
    journal?.append(entry)
    apply(entry)
    if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(allEntries())
  }

  function apply({ property, unit, rooms = [], rates = [], mark, accepted = 0 }: Entry) {
    if (unit) {
      const units = properties.get(property) ?? new Map<string, Unit>()
      properties.set(property, units.set(unit.external_id, unit))
    } else calendar.save(property, { rooms, rates })
    if (!mark) return
    replies.set(replyKey(property, mark.key), { property, mark, ...(unit ? { unit } : { accepted }) })
    if (replies.size > maxReplies) replies.delete(replies.keys().next().value as string)
  }

  /** Replies come first: they may hold earlier revisions, which the current ones then replace. */
  function* allEntries(): Generator<Entry> {
    yield* replies.values()
    for (const [property, units] of properties) for (const unit of units.values()) yield { property, unit }
    yield* calendar.all()
  }
}

function replyKey(property: string, key: string) {
  return `${property}\n${key}`
}

function isUnchanged({ external_id, revision, updated_at, ...before }: Unit, fields: UnitFields) {
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

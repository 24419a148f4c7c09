import { join } from 'node:path'
import { openJournal, readJournal } from '../pms/journal.ts'
import type { Account, Token } from './account.ts'
import type { Day } from './day.ts'
import type { Listing } from './listing.ts'
import type { Reservation } from './reservation.ts'
import type { Delivery, Webhook } from './webhook.ts'

export type Kinds = {
  account: Account
  token: Token
  listing: Listing
  day: Day
  reservation: Reservation
  webhook: Webhook
  delivery: Delivery
  counter: { last: number }
}

export type Kind = keyof Kinds

/** What to keep under a name; null takes it away. */
export type Entry = { [K in Kind]: readonly [kind: K, id: string | number, record: Kinds[K] | null] }[Kind]

const firstId = 40_160
const compactAfterBytes = 64 * 1024 * 1024

export type Records = ReturnType<typeof openRecords>

/** Everything the vendor remembers: on disk with a home, else in memory. */
export function openRecords(home?: string) {
  const kinds = new Map<Kind, Map<string, unknown>>()
  const path = home === undefined ? undefined : join(home, 'hostaway.jsonl')
  if (path) for (const entries of readJournal(path)) keep(entries as Entry[])
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(everything())

  const records = {
    find: <K extends Kind>(kind: K, id: string | number): Kinds[K] | undefined =>
      kinds.get(kind)?.get(String(id)) as Kinds[K] | undefined,

    list: <K extends Kind>(kind: K): Kinds[K][] => [...(kinds.get(kind)?.values() ?? [])] as Kinds[K][],

    /** Keeps all of them or, if the process dies, none. */
    save(...entries: Entry[]) {
      journal?.append(entries)
      keep(entries)
      if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(everything())
    },

    /** A number that nothing else has, of whatever kind. */
    nextId(): number {
      let last = (records.find('counter', 'id')?.last ?? firstId - 1) + 1
      // A listing may have been given a number from outside.
      while (records.find('listing', last)) last += 1
      records.save(['counter', 'id', { last }])
      return last
    },

    /** The time of a change: later than that of any other, also when the clock of the machine is set back. */
    timeOfChange(nowMs: number): number {
      const last = Math.max(nowMs, (records.find('counter', 'change')?.last ?? 0) + 1)
      records.save(['counter', 'change', { last }])
      return last
    },

    close: () => journal?.close(),
  }
  return records

  function keep(entries: Entry[]) {
    for (const [kind, id, record] of entries) {
      const all = kinds.get(kind) ?? new Map<string, unknown>()
      kinds.set(kind, all)
      if (record === null) all.delete(String(id))
      else all.set(String(id), record)
    }
  }

  function* everything(): Generator<unknown> {
    for (const [kind, all] of kinds) for (const [id, record] of all) yield [[kind, id, record]]
  }
}

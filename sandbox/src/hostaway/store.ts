import { join } from 'node:path'
import { openJournal, readJournal } from '../data/journal.ts'
import type { Day } from './day.ts'
import type { Listing } from './listing.ts'
import type { Reservation } from './reservation.ts'
import type { Delivery, Webhook } from './webhook.ts'

/** An account and its API key. */
export type Account = { id: number; apiKey: string }

/** Valid from `validFromMs` until `expiresAtMs`. Revoking a token removes it. */
export type Token = { token: string; accountId: number; validFromMs: number; expiresAtMs: number }

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

/** A record to save; null deletes it. */
export type Entry = { [K in Kind]: readonly [kind: K, id: string | number, record: Kinds[K] | null] }[Kind]

const firstId = 40_160
const compactAfterBytes = 64 * 1024 * 1024

export type Records = ReturnType<typeof openRecords>

/** All state of the vendor: on disk with a home, else in memory. */
export function openRecords(home?: string) {
  const kinds = new Map<Kind, Map<string, unknown>>()
  const path = home === undefined ? undefined : join(home, 'hostaway.jsonl')
  if (path) for (const entries of readJournal(path)) apply(entries as Entry[])
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(allEntries())

  const records = {
    find: <K extends Kind>(kind: K, id: string | number): Kinds[K] | undefined =>
      kinds.get(kind)?.get(String(id)) as Kinds[K] | undefined,

    list: <K extends Kind>(kind: K): Kinds[K][] => [...(kinds.get(kind)?.values() ?? [])] as Kinds[K][],

    /** Saves all entries or, if the process dies, none. */
    save(...entries: Entry[]) {
      journal?.append(entries)
      apply(entries)
      if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(allEntries())
    },

    /** An id that no record of any kind has. */
    nextId(): number {
      let last = (records.find('counter', 'id')?.last ?? firstId - 1) + 1
      // A test may have chosen the id of a listing.
      while (records.find('listing', last)) last += 1
      records.save(['counter', 'id', { last }])
      return last
    },

    /** The time of a change, later than that of any earlier one even if the clock of the machine is set back. */
    timeOfChange(nowMs: number): number {
      const last = Math.max(nowMs, (records.find('counter', 'change')?.last ?? 0) + 1)
      records.save(['counter', 'change', { last }])
      return last
    },

    close: () => journal?.close(),
  }
  return records

  function apply(entries: Entry[]) {
    for (const [kind, id, record] of entries) {
      const all = kinds.get(kind) ?? new Map<string, unknown>()
      kinds.set(kind, all)
      if (record === null) all.delete(String(id))
      else all.set(String(id), record)
    }
  }

  function* allEntries(): Generator<unknown> {
    for (const [kind, all] of kinds) for (const [id, record] of all) yield [[kind, id, record]]
  }
}

/** What the handlers work with. */
export type Vendor = {
  records: Records
  /** The vendor's clock, which a test can advance. */
  now(): number
  /** Sends an event to every webhook of the account. */
  notify(payload: Delivery['payload']): void
}

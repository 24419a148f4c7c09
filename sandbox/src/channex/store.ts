import { join } from 'node:path'
import { openJournal, readJournal } from '../data/journal.ts'
import { openInventory, type Change } from './inventory.ts'
import type { Property } from './property.ts'
import type { RatePlan } from './rate-plan.ts'
import type { Revision } from './revision.ts'
import type { RoomType } from './room-type.ts'
import type { Webhook } from './webhook.ts'

/** A key, whose id is the key itself. `properties` null gives access to every property. */
export type Key = { id: string; properties: string[] | null }

type Kept = {
  keys: Key
  properties: Property
  room_types: RoomType
  rate_plans: RatePlan
  webhooks: Webhook
  revisions: Revision
}
type Kind = keyof Kept

type Entry = { kind: Kind; record: Kept[Kind] } | { kind: Kind; removed: string } | { change: Change }

const compactAfterBytes = 64 * 1024 * 1024

export type Account = ReturnType<typeof openAccount>

/** All state of this server: on disk with a home, else in memory. */
export function openAccount(home?: string) {
  const kept: { [K in Kind]: Map<string, Kept[K]> } = {
    keys: new Map(),
    properties: new Map(),
    room_types: new Map(),
    rate_plans: new Map(),
    webhooks: new Map(),
    revisions: new Map(),
  }
  const inventory = openInventory()
  const path = home === undefined ? undefined : join(home, 'channex.jsonl')
  if (path) for (const entry of readJournal(path)) applyEntry(entry as Entry)
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(allEntries())

  return {
    ...kept,
    night: inventory.night,

    save<K extends Kind>(kind: K, record: Kept[K]): Kept[K] {
      write({ kind, record })
      return record
    },

    remove: (kind: Kind, id: string) => write({ kind, removed: id }),

    apply: (change: Change) => write({ change }),

    plansOf: (roomTypeId: string) =>
      [...kept.rate_plans.values()].filter((plan) => plan.room_type_id === roomTypeId),

    close: () => journal?.close(),
  }

  function write(entry: Entry) {
    journal?.append(entry)
    applyEntry(entry)
    if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(allEntries())
  }

  function applyEntry(entry: Entry) {
    if ('change' in entry) return inventory.apply(entry.change)
    const records = kept[entry.kind] as Map<string, Kept[Kind]>
    if ('record' in entry) records.set(entry.record.id, entry.record)
    else removeRecord(entry.kind, entry.removed)
  }

  /** Room types and rate plans go with what they belong to. */
  function removeRecord(kind: Kind, id: string) {
    kept[kind].delete(id)
    inventory.forget(id)
    if (kind === 'properties') removeChildren('room_types', 'property_id', id)
    if (kind === 'room_types') removeChildren('rate_plans', 'room_type_id', id)
  }

  function removeChildren(kind: 'room_types' | 'rate_plans', reference: string, id: string) {
    for (const record of kept[kind].values()) {
      if (new Map(Object.entries(record)).get(reference) === id) removeRecord(kind, record.id)
    }
  }

  function* allEntries(): Generator<Entry> {
    for (const kind of Object.keys(kept) as Kind[]) {
      for (const record of kept[kind].values()) yield { kind, record }
    }
    for (const change of inventory.changes()) yield { change }
  }
}

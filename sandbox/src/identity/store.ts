import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

type Payload = Record<string, unknown> & {
  uid?: string
  userCode?: string
  grantId?: string
  consumed?: number
}
type StoredRecord = { payload: Payload; untilMs: number }

const maxRecords = 1000

/** Sessions, grants and codes in memory; with a home they are saved when the provider stops. */
export function openRecords(home?: string) {
  const path = home === undefined ? undefined : join(home, 'identity-records.json')
  const records = new Map<string, StoredRecord>(path === undefined ? [] : readSaved(path))

  return {
    /** The provider's own interface to storage, one per model. */
    adapter: (model: string) => ({
      async upsert(id: string, payload: Payload, expiresInSeconds?: number) {
        if (records.size > maxRecords) removeExpired()
        records.set(`${model}:${id}`, { payload, untilMs: Date.now() + (expiresInSeconds ?? 86_400) * 1000 })
      },
      find: async (id: string) => alive(records.get(`${model}:${id}`)),
      findByUid: async (uid: string) => findBy(model, 'uid', uid),
      findByUserCode: async (code: string) => findBy(model, 'userCode', code),
      async consume(id: string) {
        const payload = records.get(`${model}:${id}`)?.payload
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id: string) => void records.delete(`${model}:${id}`),
      async revokeByGrantId(grantId: string) {
        for (const [key, { payload }] of records) if (payload.grantId === grantId) records.delete(key)
      },
    }),

    close() {
      if (path === undefined) return
      removeExpired()
      writeFileAtomically(path, [...records])
    },
  }

  function findBy(model: string, name: 'uid' | 'userCode', value: string) {
    for (const [key, kept] of records)
      if (key.startsWith(`${model}:`) && kept.payload[name] === value) return alive(kept)
    return undefined
  }

  function removeExpired() {
    for (const [key, kept] of records) if (!alive(kept)) records.delete(key)
  }
}

function alive(kept: StoredRecord | undefined) {
  return kept && kept.untilMs > Date.now() ? kept.payload : undefined
}

/** The records saved last. After an incomplete file people sign in again. */
function readSaved(path: string): [string, StoredRecord][] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as [string, StoredRecord][]
  } catch {
    return []
  }
}

/** Replaces the whole file or nothing; only this user can read it. */
export function writeFileAtomically(path: string, value: object): void {
  const unfinished = `${path}.${process.pid}`
  const file = openSync(unfinished, 'w', 0o600)
  writeSync(file, JSON.stringify(value))
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, path)
}

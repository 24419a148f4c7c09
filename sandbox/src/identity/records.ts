import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from './write-whole.ts'

type Payload = Record<string, unknown> & { uid?: string; grantId?: string; consumed?: number }
type Kept = { payload: Payload; untilMs: number }

const sweepAbove = 1000

/** Sessions, grants and codes in memory; with a home they are written down when the provider stops. */
export function openRecords(home?: string) {
  const path = home === undefined ? undefined : join(home, 'identity-records.json')
  const records = new Map<string, Kept>(path === undefined ? [] : readKept(path))

  return {
    /** The provider's own interface to storage, one per model. */
    adapter: (model: string) => ({
      async upsert(id: string, payload: Payload, expiresInSeconds?: number) {
        if (records.size > sweepAbove) sweep()
        records.set(`${model}:${id}`, { payload, untilMs: Date.now() + (expiresInSeconds ?? 86_400) * 1000 })
      },
      find: async (id: string) => alive(records.get(`${model}:${id}`)),
      findByUid: async (uid: string) => {
        for (const [key, kept] of records) {
          if (key.startsWith(`${model}:`) && kept.payload.uid === uid) return alive(kept)
        }
        return undefined
      },
      findByUserCode: async () => undefined,
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
      sweep()
      writeWhole(path, [...records])
    },
  }

  function sweep() {
    for (const [key, kept] of records) if (!alive(kept)) records.delete(key)
  }
}

function alive(kept: Kept | undefined) {
  return kept && kept.untilMs > Date.now() ? kept.payload : undefined
}

/** What was written down last; a file cut short only means that people sign in again. */
function readKept(path: string): [string, Kept][] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as [string, Kept][]
  } catch {
    return []
  }
}

import { useQueries } from '@tanstack/react-query'
import { listUnits } from '@vacancy/client'
import type { Client, Unit } from '@vacancy/client'

import { useListStaleMs } from '../../live/connection.ts'
import { useApi } from '../../session/api.tsx'

/** These units by id: of 20,000, a list shows a few. Those that are not known yet are read together. */
export const useUnitsById = (ids: readonly string[]): Readonly<Record<string, Unit>> => {
  const api = useApi()
  const staleTime = useListStaleMs()
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['units', 'one', id],
      queryFn: () => readTogether(api, id),
      staleTime,
    })),
    combine: toRecord,
  })
}

const toRecord = (results: readonly { data?: Unit | null | undefined }[]): Record<string, Unit> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.id, data]] : [])))

/** As many as a filter takes, and a page of a list has. */
const maxIds = 100

interface WaitingRead {
  id: string
  resolve: (unit: Unit | null) => void
  reject: (failure: unknown) => void
}

const waitingReads = new WeakMap<Client, WaitingRead[]>()

/** Reads a unit in one request with all others that are asked for at the same time; null when there is none. */
const readTogether = (api: Client, id: string) =>
  new Promise<Unit | null>((resolve, reject) => {
    const waiting = waitingReads.get(api) ?? []
    if (waiting.push({ id, resolve, reject }) > 1) return
    waitingReads.set(api, waiting)
    setTimeout(() => {
      waitingReads.delete(api)
      for (let at = 0; at < waiting.length; at += maxIds) void readUnits(api, waiting.slice(at, at + maxIds))
    })
  })

const readUnits = async (api: Client, reads: readonly WaitingRead[]) => {
  try {
    const query = { id: reads.map(({ id }) => id), limit: maxIds }
    const { units } = await api.send(listUnits, { query })
    for (const { id, resolve } of reads) resolve(units.find((unit) => unit.id === id) ?? null)
  } catch (failure) {
    for (const { reject } of reads) reject(failure)
  }
}

import { useQueries } from '@tanstack/react-query'
import type { Client, Unit } from '@vacancy/client'

import { useListStaleMs } from '../../live/connection.ts'
import { readUnits } from '../../live/units.ts'
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

interface WaitingRead {
  ids: string[]
  units: Promise<readonly Unit[]>
}

const waitingReads = new WeakMap<Client, WaitingRead>()

/** Reads a unit together with all others that are asked for at the same time; null when there is none. */
const readTogether = async (api: Client, id: string): Promise<Unit | null> => {
  const read = waitingReads.get(api) ?? beginRead(api)
  read.ids.push(id)
  return (await read.units).find((unit) => unit.id === id) ?? null
}

const beginRead = (api: Client): WaitingRead => {
  const ids: string[] = []
  const units = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    waitingReads.delete(api)
    return readUnits(api, ids)
  })
  const read = { ids, units }
  waitingReads.set(api, read)
  return read
}

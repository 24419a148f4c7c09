import { useEffect } from 'react'
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createFileImport,
  getFileImport,
  listFileImportRows,
  listFileImports,
  updateFileImport,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import { isWorking, workingEveryMs } from '../import/use-import.ts'
import type { FileImport, ImportKind } from './fields.ts'

type RowAction = NonNullable<contract.FileImportRow['action']>

/** Twenty megabytes over a slow line. */
const uploadTimeoutMs = 300_000

/** How many rows have one of these actions; all rows without them. */
export const countRows = ({ counts }: FileImport, ...actions: RowAction[]) =>
  counts
    .filter(({ action }) => actions.length === 0 || actions.includes(action))
    .reduce((sum, { total, done }) => ({ total: sum.total + total, done: sum.done + done }), {
      total: 0,
      done: 0,
    })

/** Of the change of a mapping. */
export const mappingKey = (id: string) => [updateFileImport.path, id]

/** One import of a file, as far as it is; its rows are read again when it gets to another state. */
export const useFileImport = (id: string) => {
  const api = useApi()
  const queries = useQueryClient()
  // Until a change of the mapping is saved, what is read is the plan before: it must not be run.
  const isChanging = useIsMutating({ mutationKey: mappingKey(id) }) > 0
  const { data, error, refetch } = useQuery<FileImport>({
    queryKey: [getFileImport.path, id],
    queryFn: async ({ signal }) => (await api.send(getFileImport, { path: { id }, signal })).file_import,
    refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? workingEveryMs : false),
  })
  const current: FileImport | undefined =
    data && isChanging ? { ...data, status: 'planning', planned_count: 0, counts: [] } : data
  const status = current?.status
  useEffect(() => {
    if (!status) return
    for (const { path } of [listFileImportRows, listFileImports])
      void queries.invalidateQueries({ queryKey: [path] })
  }, [queries, status])
  return { current, error, refetch }
}

/** Uploads a file. Its columns are mapped and its rows are tried out in the background. */
export const useUpload = () => {
  const api = useApi()
  return async (kind: ImportKind, file: File): Promise<FileImport> =>
    (
      await api.send(createFileImport, {
        query: { kind, file_name: file.name.slice(0, 255) },
        body: file,
        timeoutMs: uploadTimeoutMs,
      })
    ).file_import
}

import { useQuery } from '@tanstack/react-query'
import type { Operation, RequestArgs, RequestData } from '@vacancy/client'

import { useApi } from '../session/api.tsx'
import { ProblemNote } from './problem-note.tsx'
import { DeletedNote, isDeleted } from './record-fallback.tsx'

/** What a dialog edits, read with the entity tag that keeps what a colleague changes meanwhile; without an id, a new record. */
export const useEditedRecord = <Data extends RequestData, Reply>(
  operation: Operation<Data, Reply>,
  id: string | undefined,
  onSaved: () => Promise<unknown>,
) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [operation.path, id],
    queryFn: ({ signal }) => api.request(operation, { path: { id }, signal } as RequestArgs<Data>),
    enabled: id !== undefined,
    staleTime: 0,
  })
  return {
    reply: data?.data,
    etag: data?.etag ?? null,
    refresh: () => Promise.all([id !== undefined && refetch(), onSaved()]),
    isReady: id === undefined || (data !== undefined && !isDeleted(error)),
    note: data ? (
      <DeletedNote error={error} />
    ) : (
      <ProblemNote failure={error} onRetry={() => void refetch()} />
    ),
  }
}

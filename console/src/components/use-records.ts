import { useMemo } from 'react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { Operation, RequestArgs, RequestData } from '@vacancy/client'

import { useApi } from '../session/api.tsx'

const pageSize = 50
const maxAttempts = 5

interface Page {
  next_cursor: string | null
}

type RecordOf<Reply> = { [K in keyof Reply]: Reply[K] extends (infer One)[] ? One : never }[keyof Reply]

/** The records of a list, read page by page while a table is scrolled. */
export interface RecordList<T> {
  records: T[] | undefined
  error: Error | null
  /** Whether the records are those of the filter before, while those of this one are read. */
  isStale?: boolean
  hasMore: boolean
  isLoadingMore: boolean
  /** Why the next page could not be read. */
  moreError: Error | null
  loadMore: () => void
  refetch: () => void
}

/** Reads a list of the API. Its query key is `[operation.path, args]`: invalidate it by the path. */
export const useRecords = <Data extends RequestData, Reply extends Page>(
  operation: Operation<Data, Reply>,
  args: RequestArgs<Data> = {} as RequestArgs<Data>,
): RecordList<RecordOf<Reply>> => {
  const api = useApi()
  const { data, error, refetch, ...pages } = useInfiniteQuery({
    queryKey: [operation.path, args],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...queryOf(args), ...(pageParam && { cursor: pageParam }) }
      return api.send(operation, { ...args, query, signal })
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
  /** A page that is being read again delays the next one, and a change that is read again ends its request. */
  const loadMore = async () => {
    const count = data?.pages.length ?? 0
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const next = await pages.fetchNextPage({ cancelRefetch: false })
      if (next.isError || !next.hasNextPage || (next.data?.pages.length ?? 0) > count) return
    }
  }
  const records = useMemo(() => data?.pages.flatMap((page) => recordsOf(page)), [data])
  return {
    records,
    error: records ? null : error,
    isStale: pages.isPlaceholderData,
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    moreError: pages.isFetchNextPageError ? error : null,
    loadMore: () => void loadMore(),
    refetch: () => void refetch(),
  }
}

const queryOf = (args: object) => ('query' in args ? (args.query as object) : {})

const recordsOf = <Reply extends Page>(page: Reply) =>
  (Object.values(page).find(Array.isArray) ?? []) as RecordOf<Reply>[]

import { useLayoutEffect, useState } from 'react'

import { maxBulkRecords } from './bulk-result.ts'
import type { RecordList } from './use-records.ts'

/** Reads the further pages of a list, up to as many records as a bulk action takes, and selects all of them. */
export const useSelectMatching = <T extends { id: string }>(
  { records = [], isStale, hasMore, isLoadingMore, moreError, loadMore }: RecordList<T>,
  onSelect: (ids: Record<string, true>) => void,
) => {
  const [isReading, setReading] = useState(false)
  const isPart = hasMore && records.length < maxBulkRecords
  useLayoutEffect(() => {
    // With another filter the person means other records.
    if (isStale) return setReading(false)
    if (!isReading || isLoadingMore) return
    if (isPart && !moreError) return loadMore()
    setReading(false)
    onSelect(Object.fromEntries(records.slice(0, maxBulkRecords).map(({ id }) => [id, true])))
  }, [isReading, isLoadingMore, isStale, records])
  return { isPart, isReading, read: () => setReading(true), stop: () => setReading(false) }
}

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { listAudit } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useApi } from '../../api.tsx'
import { wordsFor } from '../../parts/refusal.ts'
import { acceptedFrom, withoutBeginnings } from './accepted.ts'
import { AcceptedList } from './accepted-list.tsx'
import { Entry } from './entry.tsx'
import look from './listing.module.css'

const pageSize = 20

/** What the PMS accepted, and every attempt that led there. */
export const History = ({ listing }: { listing: ChannelListing }) => {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useAudit(listing.id)
  const { currency } = listing.unit
  const entries = data?.pages.flatMap((page) => page.audit)
  const accepted = acceptedFrom(entries ?? [])
  return (
    <>
      {accepted.length > 0 && (
        <section aria-labelledby="accepted-title">
          <h3 id="accepted-title" className={look.heading}>
            Accepted by the PMS
          </h3>
          <AcceptedList accepted={accepted} currency={currency} />
        </section>
      )}
      <section aria-labelledby="history-title">
        <h3 id="history-title" className={look.heading}>
          History
        </h3>
        {error && <p className={look.error}>{wordsFor(error)}</p>}
        {entries?.length === 0 && <p className={look.quiet}>Nothing was sent yet.</p>}
        {!entries && !error && (
          <div className={look.holding} role="status" aria-label="Loading the history" />
        )}
        <ol className={look.entries}>
          {withoutBeginnings(entries ?? []).map((entry) => (
            <Entry key={entry.id} entry={entry} currency={currency} />
          ))}
        </ol>
        {hasNextPage && (
          <Button
            variant="default"
            fullWidth
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show earlier
          </Button>
        )}
      </section>
    </>
  )
}

const useAudit = (listingId: string) => {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['sync-audit', listingId],
    queryFn: ({ pageParam, signal }) =>
      api.send(listAudit, {
        query: { channel_listing_id: listingId, limit: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  })
}

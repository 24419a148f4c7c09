import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { listSyncAudit } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { acceptedFrom, withoutEndedStarts } from './accepted-values.ts'
import { AcceptedValuesList } from './accepted-values-list.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { listingMessages } from './messages.ts'
import styles from './listing.module.css'

const pageSize = 20

interface HistoryProps {
  listing: ChannelListing
  timeZone: string | undefined
}

/** What the PMS accepted, and every attempt. */
export const History = ({ listing, timeZone }: HistoryProps) => {
  const text = useMessages(listingMessages)
  const describe = useFailureText()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useAudit(listing.id)
  const { currency } = listing.unit
  const entries = data?.pages.flatMap((page) => page.audit)
  const accepted = acceptedFrom(entries ?? [])
  return (
    <>
      {accepted.length > 0 && (
        <section aria-labelledby="accepted-title">
          <h3 id="accepted-title" className={styles.heading}>
            {text('accepted')}
          </h3>
          <AcceptedValuesList accepted={accepted} currency={currency} timeZone={timeZone} />
        </section>
      )}
      <section aria-labelledby="history-title">
        <h3 id="history-title" className={styles.heading}>
          {text('history')}
        </h3>
        {error && <p className={styles.error}>{describe(error)}</p>}
        {entries?.length === 0 && <p className={styles.quiet}>{text('nothingSent')}</p>}
        {!entries && !error && (
          <div className={styles.placeholder} role="status" aria-label={text('historyLoading')} />
        )}
        <ol className={styles.entries}>
          {withoutEndedStarts(entries ?? []).map((entry) => (
            <AuditEntry key={entry.id} entry={entry} currency={currency} timeZone={timeZone} />
          ))}
        </ol>
        {hasNextPage && (
          <Button
            variant="default"
            fullWidth
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {text('showEarlier')}
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
      api.send(listSyncAudit, {
        query: { channel_listing_id: listingId, limit: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  })
}

import { listSyncAudit } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { ShowMore } from '../../components/show-more.tsx'
import { useRecords } from '../../components/use-records.ts'
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
  const list = useRecords(listSyncAudit, { query: { channel_listing_id: listing.id, limit: pageSize } })
  const { records: entries, error } = list
  const { currency } = listing.unit
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
        <ShowMore list={list} label={text('showEarlier')} fullWidth />
      </section>
    </>
  )
}

import { RelativeTime } from '../../components/relative-time.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { syncStateMessages } from '../../live/sync-state-messages.ts'
import type { SyncState } from '../../live/sync-state.ts'
import type { Filter } from './filter.ts'
import type { Summary } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import styles from './status-summary.module.css'

const alwaysShown: SyncState[] = ['in-sync', 'syncing', 'waiting', 'failed']

interface StatusSummaryProps {
  summary: Summary | null
  filter: Filter
  onFilter: (filter: Filter) => void
}

/** How many listings are in each state; a number filters the list by its state. */
export const StatusSummary = ({ summary, filter, onFilter }: StatusSummaryProps) => {
  const text = useMessages(portfolioMessages)
  const stateText = useMessages(syncStateMessages)
  const format = useFormat()
  const states = summary?.counts.paused ? [...alwaysShown, 'paused' as const] : alwaysShown
  const toggle = (state: SyncState) => {
    const { state: current, ...rest } = filter
    onFilter(current === state ? rest : { ...rest, state })
  }
  return (
    <div className={styles.summary} role="group" aria-label={text('listingsByState')}>
      {states.map((state) => (
        <button
          key={state}
          type="button"
          className={styles.cell}
          data-state={state}
          data-any={summary !== null && summary.counts[state] > 0}
          aria-pressed={filter.state === state}
          onClick={() => toggle(state)}
        >
          <span className={styles.count}>{summary ? format.number(summary.counts[state]) : '–'}</span>
          <span className={styles.label}>{stateText(state)}</span>
        </button>
      ))}
      <div className={styles.last}>
        <span className={styles.when}>
          {summary?.lastSyncedAt ? <RelativeTime at={summary.lastSyncedAt} /> : summary ? text('never') : '–'}
        </span>
        <span className={styles.label}>{text('lastSync')}</span>
      </div>
    </div>
  )
}

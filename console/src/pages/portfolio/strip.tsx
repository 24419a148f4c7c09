import { Moment } from '../../parts/moment.tsx'
import type { Summary } from './arrange.ts'
import type { Filter } from './filter.ts'
import { wordsOf } from '../../parts/sync-state.ts'
import type { SyncState } from '../../parts/sync-state.ts'
import look from './strip.module.css'

const always: SyncState[] = ['in-sync', 'syncing', 'waiting', 'failed']

interface StripProps {
  summary: Summary | null
  filter: Filter
  onFilter: (filter: Filter) => void
}

/** How the listings stand as a whole; each number is also the way to what it counts. */
export const Strip = ({ summary, filter, onFilter }: StripProps) => {
  const states = summary?.counts.paused ? [...always, 'paused' as const] : always
  const toggle = (state: SyncState) => {
    const { state: current, ...rest } = filter
    onFilter(current === state ? rest : { ...rest, state })
  }
  return (
    <div className={look.strip} role="group" aria-label="Listings by sync state">
      {states.map((state) => (
        <button
          key={state}
          type="button"
          className={look.cell}
          data-state={state}
          data-any={summary !== null && summary.counts[state] > 0}
          aria-pressed={filter.state === state}
          onClick={() => toggle(state)}
        >
          <span className={look.count}>{summary ? summary.counts[state].toLocaleString() : '–'}</span>
          <span className={look.word}>{wordsOf[state]}</span>
        </button>
      ))}
      <div className={look.last}>
        <span className={look.when}>
          {summary?.lastSyncedAt ? <Moment at={summary.lastSyncedAt} /> : summary ? 'never' : '–'}
        </span>
        <span className={look.word}>Last sync</span>
      </div>
    </div>
  )
}

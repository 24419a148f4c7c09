import { wordsOf } from './sync-state.ts'
import type { SyncState } from './sync-state.ts'
import { Arrows, Check, Clock, Pause, Warning } from './icons.tsx'
import look from './state-badge.module.css'

const icons = { failed: Warning, syncing: Arrows, waiting: Clock, 'in-sync': Check, paused: Pause }

/** Where a listing stands: an icon, a word and a colour, any one of which is enough. */
export const StateBadge = ({ state }: { state: SyncState | null }) => {
  if (!state) return <span className={look.unknown} />
  const Icon = icons[state]
  return (
    <span className={look.badge} data-state={state}>
      <Icon />
      {wordsOf[state]}
    </span>
  )
}

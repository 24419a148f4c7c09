import type { ReactNode } from 'react'

import { useMessages } from '../i18n/language.tsx'
import { syncStateMessages } from '../live/sync-state-messages.ts'
import type { SyncState } from '../live/sync-state.ts'
import { Arrows, Check, Clock, Pause, Warning } from './icons.tsx'
import styles from './state-badge.module.css'

const icons = { failed: Warning, syncing: Arrows, waiting: Clock, 'in-sync': Check, paused: Pause }

/** The state of a listing as icon, word and colour; each of them is enough on its own. */
export const StateBadge = ({ state }: { state: SyncState | null }) => {
  const text = useMessages(syncStateMessages)
  return state ? <Badge state={state}>{text(state)}</Badge> : <span className={styles.unknown} />
}

/** Icon and colour of a state with a word of its own: `Connected`, `Delivered`. */
export const Badge = ({ state, children }: { state: SyncState; children: ReactNode }) => {
  const Icon = icons[state]
  return (
    <span className={styles.badge} data-state={state}>
      <Icon />
      {children}
    </span>
  )
}

/** The state alone, where there is no room for its word. */
export const StateIcon = ({ state }: { state: SyncState | null }) => {
  const text = useMessages(syncStateMessages)
  if (!state) return null
  const Icon = icons[state]
  return (
    <span className={styles.icon} data-state={state} role="img" aria-label={text(state)} title={text(state)}>
      <Icon />
    </span>
  )
}

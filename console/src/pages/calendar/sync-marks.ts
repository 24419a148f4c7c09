import { useMemo } from 'react'

import { stateOf } from '../../live/sync-state.ts'
import type { Statuses, SyncState } from '../../live/sync-state.ts'
import type { CalendarUnit } from './rows.ts'
import type { Mark } from './week-cells.tsx'

/** The nights that were changed on this page, so that each shows whether the PMS has it. */
export interface ChangedNights {
  unitIds: readonly string[]
  from: number
  to: number
  /** When the change was accepted. */
  at: number
}

export interface MarkedRange {
  from: number
  to: number
  mark: Mark
}

export type SyncMarks = (shown: CalendarUnit, statuses: Statuses) => MarkedRange | null

export const useSyncMarks = (changed: ChangedNights | null): SyncMarks =>
  useMemo(() => {
    const ids = new Set(changed?.unitIds)
    return ({ unit, listings }, statuses) => {
      if (!changed || !ids.has(unit.id) || listings.length === 0) return null
      return { from: changed.from, to: changed.to, mark: markOf(listings, statuses, changed.at) }
    }
  }, [changed])

const markOf = (listings: CalendarUnit['listings'], statuses: Statuses, changedAt: number): Mark => {
  const own = listings.filter(({ status }) => status !== 'paused').map(({ id }) => statuses[id])
  if (own.some((status) => status?.status === 'failed')) return 'failed'
  const isSent = own.every(
    (status) => status?.status === 'completed' && Date.parse(status.last_synced_at ?? '') >= changedAt,
  )
  return isSent ? 'atPms' : 'sending'
}

const severity: SyncState[] = ['failed', 'waiting', 'syncing', 'paused', 'in-sync']

/** The state of the listing of a unit that is worst off. */
export const worstState = ({ listings }: CalendarUnit, statuses: Statuses): SyncState | null => {
  const states = listings.map((listing) => stateOf(listing, statuses[listing.id]))
  return severity.find((state) => states.includes(state)) ?? null
}

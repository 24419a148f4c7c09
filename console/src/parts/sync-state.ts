import type { ChannelListing, SyncStatus } from '@vacancy/client'

/** What is known of each listing's sync, by the listing's id. */
export type Statuses = Record<string, SyncStatus>

/** How a listing stands, in the words people see. */
export type SyncState = 'failed' | 'syncing' | 'waiting' | 'in-sync' | 'paused'

export const syncStates: readonly SyncState[] = ['failed', 'syncing', 'waiting', 'in-sync', 'paused']

export const wordsOf: Record<SyncState, string> = {
  failed: 'Failed',
  syncing: 'Syncing',
  waiting: 'Waiting',
  'in-sync': 'In sync',
  paused: 'Paused',
}

/** A paused link says so first: nothing will move it, whatever its last sync was. */
export const stateOf = (
  listing: Pick<ChannelListing, 'status'>,
  status: Pick<SyncStatus, 'status'> | undefined,
): SyncState | null => {
  if (listing.status === 'paused') return 'paused'
  return status ? stateOfSync[status.status] : null
}

const stateOfSync: Record<SyncStatus['status'], SyncState> = {
  failed: 'failed',
  in_progress: 'syncing',
  completed: 'in-sync',
  pending: 'waiting',
}

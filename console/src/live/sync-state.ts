import type { ChannelListing, SyncStatus } from '@vacancy/client'

/** The sync status of each listing, by the listing's id. */
export type Statuses = Record<string, SyncStatus>

/** The state of a listing as people see it. */
export type SyncState = 'failed' | 'syncing' | 'waiting' | 'in-sync' | 'paused'

export const syncStates: readonly SyncState[] = ['failed', 'syncing', 'waiting', 'in-sync', 'paused']

/** A paused listing is shown as paused, whatever its last sync was: nothing will move it. */
export const stateOf = (
  listing: Pick<ChannelListing, 'status'>,
  status: Pick<SyncStatus, 'status'> | undefined,
): SyncState | null => {
  if (listing.status === 'paused') return 'paused'
  return status ? stateByStatus[status.status] : null
}

const stateByStatus: Record<SyncStatus['status'], SyncState> = {
  failed: 'failed',
  in_progress: 'syncing',
  completed: 'in-sync',
  pending: 'waiting',
}

/** The records of the API that the sync commands show. */
import type { ApiClient } from './api-client.ts'

export interface SyncStatus {
  channel_listing_id: string
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  last_synced_at: string | null
  error_message: string | null
  error_code: string | null
  attempts: number
  next_attempt_at: string | null
  in_sync: boolean
  pending_changes: number
  behind_since: string | null
  stale: boolean
  warnings: { code: string; rate_plan_id: string; message: string }[]
  unverified_since: string | null
}

export interface TargetStatus {
  channel_target_id: string
  name: string
  status: string
  circuit: { state: string; failures: number; next_probe_at: string | null }
  budgets: { kind: string; limit: number; window_seconds: number; remaining: number }[]
  queue: {
    waiting: number
    in_progress: number
    failed: number
    paused: number
    stale: number
    expected_at: string | null
  }
}

export interface QueuedListings {
  queued: number
  listings: { channel_listing_id: string }[]
}

export const getStatus = (api: ApiClient, listingId: string) =>
  api.request<SyncStatus>('GET', `/api/v1/sync/status/${listingId}`)

export const listStatuses = (api: ApiClient, filter: Record<string, string> = {}) =>
  api.list<SyncStatus>('/sync/status', filter)

/** The names of unit and target for each listing id. */
export async function listListingNames(
  api: ApiClient,
  targetId?: string,
): Promise<ReadonlyMap<string, string>> {
  const listings = await api.list<{
    id: string
    unit: { name: string }
    channel_target: { name: string }
  }>('/channel-listings', { ...(targetId && { channel_target_id: targetId }) })
  return new Map(
    listings.map(({ id, unit, channel_target }) => [id, `${unit.name} at ${channel_target.name}`]),
  )
}

// What the API says about syncs, as far as the commands show it.
import type { Api } from './call-api.ts'

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

export interface TargetState {
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

export interface Queued {
  queued: number
  listings: { channel_listing_id: string }[]
}

export const statusOf = (api: Api, listingId: string) =>
  api.ask<SyncStatus>('GET', `/api/v1/sync/status/${listingId}`)

export const statusesOf = (api: Api, filter: Record<string, string> = {}) =>
  api.all<SyncStatus>(`/sync/status?${new URLSearchParams(filter).toString()}`, 'sync_statuses')

/** What people call the listings: the unit and the target, by the id of the listing. */
export async function namesOf(api: Api, targetId?: string): Promise<ReadonlyMap<string, string>> {
  const listings = await api.all<{
    id: string
    unit: { name: string }
    channel_target: { name: string }
  }>(`/channel-listings${targetId ? `?channel_target_id=${targetId}` : ''}`, 'channel_listings')
  return new Map(
    listings.map(({ id, unit, channel_target }) => [id, `${unit.name} at ${channel_target.name}`]),
  )
}

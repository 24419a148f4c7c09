import { setImmediate as turn } from 'node:timers/promises'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { syncStates, type SyncState } from '#features/distribution/sync/state.ts'
import { planSupport } from '#integrations/pms/pms-provider.ts'

/**
 * Publishes changes of sync states by all processes: one listener on the database, shared by all streams. A
 * notification has the ids of the listings; their states are read only when the organization has subscribers. A state
 * that lasts for less than a read may be skipped, the last one never is.
 */
export interface StatusHub {
  /** Publishes each sync status of the organization to the subscriber. Returns a function that unsubscribes. */
  follow(orgId: string, follower: Follower): () => void
  followers(): number
  /** Makes the subscribers of an organization check whether they may still read. */
  recheck(orgId: string): void
  /** Ends all subscriptions, because the process stops. */
  end(): void
  /** Handles a notification of the `sync` channel: an organization, and listings that have changed. */
  notified(payload: string): void
}

interface Follower {
  /** Called with JSON text. */
  changed(status: string): void
  ended(): void
  /** The subscriber may have lost its permission. */
  recheck?(): void
}

/** The statuses of these listings as they are now, as JSON text. */
export type ReadStatuses = (orgId: string, listingIds: readonly string[]) => Promise<string[]>

/** The maximum number of states in one read. */
const maxAtOnce = 500
/** The length of an id as text. */
const idLength = 36

export function createStatusHub(read: ReadStatuses): StatusHub {
  const followers = new Map<string, Set<Follower>>()
  /** The listings of each organization whose states are still to be read. */
  const changed = new Map<string, Set<string>>()
  let isReading = false

  /**
   * One query at a time, so that requests keep their connections. Listings that change meanwhile are read at the end.
   */
  async function readOn(): Promise<void> {
    isReading = true
    await turn() // notifications of the same turn are read together
    for (const [orgId, listingIds] of changed) {
      const next = [...listingIds]
      const later = next.splice(maxAtOnce)
      changed.delete(orgId)
      if (later.length > 0) changed.set(orgId, new Set(later))
      await publish(orgId, next)
    }
    isReading = false
  }

  async function publish(orgId: string, listingIds: readonly string[]): Promise<void> {
    if (!followers.has(orgId)) return
    try {
      const statuses = await read(orgId, listingIds)
      for (const follower of followers.get(orgId) ?? []) statuses.forEach(follower.changed)
    } catch {
      // Changes were missed: the clients reconnect and read all states again.
      for (const follower of followers.get(orgId) ?? []) follower.ended()
    }
  }

  return {
    follow(orgId, follower) {
      const those = followers.get(orgId) ?? new Set()
      followers.set(orgId, those.add(follower))
      return () => {
        those.delete(follower)
        if (those.size === 0) followers.delete(orgId)
      }
    },
    recheck(orgId) {
      for (const follower of followers.get(orgId) ?? []) follower.recheck?.()
    },
    followers: () => [...followers.values()].reduce((sum, those) => sum + those.size, 0),
    end() {
      for (const those of followers.values()) for (const follower of those) follower.ended()
    },
    notified(payload) {
      const orgId = payload.slice(0, idLength)
      if (!followers.has(orgId)) return
      const listingIds = changed.get(orgId) ?? new Set()
      for (const listingId of payload.slice(idLength + 1).split(' ')) listingIds.add(listingId)
      changed.set(orgId, listingIds)
      if (!isReading) void readOn()
    },
  }
}

const providers = Object.entries(planSupport)
const withPlans = providers.filter(([, { hasPlans }]) => hasPlans).map(([name]) => name)
const withRoomTerms = providers.filter(([, { roomHasTerms }]) => roomHasTerms).map(([name]) => name)

/**
 * The status of the row `sync`, as JSON text. At providers whose rooms have terms, the default plan needs no link, because
 * its terms are those of the room.
 */
const statusText = sql<string>`left(sync_json(sync), -1) || ',"warnings":' || coalesce((
    select json_agg(
      json_build_object(
        'code', 'plan_not_linked',
        'rate_plan_id', plan.id,
        'message', format('The rate plan %s is not linked: its prices and restrictions are not pushed.', plan.name))
      order by plan.created_at, plan.id)
    from channel_listings listing
    join channel_targets target on target.org_id = listing.org_id and target.id = listing.channel_target_id
    join rate_plans plan
      on plan.org_id = listing.org_id and plan.unit_id = listing.unit_id and plan.status = 'active'
    where listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
      and coalesce(target.config ->> 'provider', 'generic') = any(${withPlans}::text[])
      and not (
        plan.is_default
        and coalesce(target.config ->> 'provider', 'generic') = any(${withRoomTerms}::text[]))
      and not exists (
        select 1
        from jsonb_array_elements(listing.rate_plans) as link
        where link ->> 'rate_plan_id' = plan.id::text)
  )::text, '[]') || '}'`

/** The status of one listing, as JSON text. @throws NotFound */
export async function findSyncStatus(scope: Scope, listingId: string): Promise<string> {
  const row = await first(
    scope,
    sql<{ json: string }>`
      select ${statusText} as json
      from listing_syncs sync
      where org_id = ${scope.orgId} and channel_listing_id = ${listingId}`,
  )
  if (!row) throw new NotFound('channel listing', listingId)
  return row.json
}

interface StatusFilter {
  readonly status?: readonly SyncState[]
  readonly unit_id?: readonly string[]
  readonly channel_target_id?: readonly string[]
}

const listColumns = {
  columns: ['org_id', 'unit_id', 'channel_target_id', 'status'],
  findable: ['unit_id', 'channel_target_id'],
  together: { status: syncStates },
}

/** The only index in the order of the list begins with the state, so that a page of any is merged from those of each. */
export const listSyncStatuses = (scope: Scope, filter: StatusFilter, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'record',
      { ...filter, status: filter.status ?? syncStates },
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select record.id, ${statusText} as json, ${sortColumn('record', page)} as sort_value
        from listing_syncs sync
        cross join lateral (
          select sync.channel_listing_id as id, sync.org_id, sync.unit_id, sync.channel_target_id, sync.status,
            sync.changed_at
        ) record
        where record.org_id = ${scope.orgId}${where}`,
    ),
  )

/** The statuses of these listings, as JSON text, without deleted ones. */
export async function readStatuses(
  database: Database,
  orgId: string,
  listingIds: readonly string[],
): Promise<string[]> {
  const [found] = await database.pipelined({ orgId }, [
    sql<{ json: string }>`
      select ${statusText} as json
      from listing_syncs sync
      where sync.org_id = ${orgId} and sync.channel_listing_id = any(${listingIds}::uuid[])`,
  ])
  return found.map(({ json }) => json)
}

/** @throws NotFound, Conflict unless the listing exists and may be pushed */
export async function assertPushable(transaction: Transaction, listingId: string): Promise<void> {
  const [, state] = await Promise.all([
    rows(
      transaction,
      sql`select 1 from channel_listings where org_id = ${transaction.orgId} and id = ${listingId} for key share`,
    ),
    first(
      transaction,
      sql<{ listing: string; target: string }>`
        select listing.status as listing, target.status as target
        from channel_listings listing
        join channel_targets target on target.org_id = listing.org_id and target.id = listing.channel_target_id
        where listing.org_id = ${transaction.orgId} and listing.id = ${listingId}`,
    ),
  ])
  if (!state) throw new NotFound('channel listing', listingId)
  if (state.listing === 'paused')
    throw new Conflict('listing-paused', 'The listing is paused: resume it first.')
  if (state.target === 'inactive') throw targetInactive()
}

export const targetInactive = () =>
  new Conflict('target-inactive', 'The channel target is inactive: activate it first.')

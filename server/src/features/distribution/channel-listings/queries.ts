import { sql, type Fragment } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { searchPattern, buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import { withMembers, type ListedRecord, type StoredRecord } from '#db/records.ts'
import type { ListingStatus } from './channel-listing.ts'

interface ListingRow {
  json: string
  unit: string
  channel_target: string
  last_synced_at: string | null
  error_message: string | null
  updated_at: string
}

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'channel_target_id', 'status', 'external_id'],
  indexed: ['channel_target_id', 'unit_id', 'account_id'],
  findable: ['status'],
  find: (where: Fragment, by: string) => sql`
    select record.id
    from ${
      by === 'updated_since'
        ? sql`(select channel_listing_id as id, org_id, shown_at as updated_at from listing_syncs)`
        : sql`channel_listings`
    } record
    where record.org_id = current_org()${where}`,
  named: {
    ids: (part: string) => sql`
      select case when listings is not null and units is not null then
        listings || array(select id from channel_listings where org_id = current_org() and unit_id = any(units)) end
      from (select records_named('listing', ${part}) as listings, records_named('unit', ${part}) as units) named`,
    has: (part: string) => sql`
      and (listing.search_text like ${searchPattern(part)} or unit.search_text like ${searchPattern(part)})`,
  },
}

/**
 * Lists filter and sort by `record`; its `updated_at` is the last change of all that a listing shows. The table with the
 * order of the page comes first. The others are read for one listing after the other until the page is full: a plan for any
 * text or account joins all of a large organization.
 */
const source = (sort = '') => {
  const isByChange = sort.endsWith('updated_at')
  const [listing, sync] = [sql`channel_listings listing`, sql`listing_syncs sync`]
  const isPair = sql`listing.org_id = sync.org_id and listing.id = sync.channel_listing_id`
  return sql`
    from ${
      isByChange
        ? sql`${sync} cross join lateral (select listing.* from ${listing} where ${isPair} offset 0) listing`
        : sql`${listing} cross join lateral (select sync.* from ${sync} where ${isPair} offset 0) sync`
    }
    cross join lateral (
      select * from units where units.org_id = listing.org_id and units.id = listing.unit_id offset 0
    ) unit
    cross join lateral (
      select * from channel_targets target where target.org_id = listing.org_id and target.id = listing.channel_target_id offset 0
    ) target
    cross join lateral (
      select ${isByChange ? sql`sync.channel_listing_id as id, sync.org_id` : sql`listing.id, listing.org_id`},
        listing.account_id, listing.unit_id, listing.channel_target_id, listing.status, listing.external_id,
        listing.created_at, sync.shown_at as updated_at
    ) record`
}
const columns = sql`listing.json, unit.json as unit, target.json as channel_target, sync.last_synced_at,
  sync.error_message, record.updated_at`

const formatListing = (row: ListingRow) =>
  // The stored JSON ends with the time of the row.
  withMembers(row.json.replace(/"updated_at":"[^"]*"}$/, `"updated_at":${JSON.stringify(row.updated_at)}}`), {
    last_synced_at: JSON.stringify(row.last_synced_at),
    error_message: JSON.stringify(row.error_message),
    unit: row.unit,
    channel_target: row.channel_target,
  })

/** `q` searches the external id and the name of the unit. */
export async function listListings(scope: Scope, filter: object, page: PageRequest): Promise<ListedRecord[]> {
  const select = (where: Fragment) => sql<ListingRow & ListedRecord>`
    select listing.id, ${columns}, ${sortColumn('record', page)} as sort_value
    ${source(page.sort)}
    where record.org_id = ${scope.orgId}${where}`
  const found = await rows(scope, buildPageQuery('record', filter, listColumns, page, select))
  return found.map((row) => ({ ...row, json: formatListing(row) }))
}

export async function findListing(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<ListingRow & StoredRecord>`
      select ${columns}, listing.version
      ${source()}
      where listing.org_id = ${scope.orgId}
        and listing.id = ${id}`,
  )
  if (!row) throw new NotFound('channel listing', id)
  return { json: formatListing(row), version: row.version }
}

export interface LockedListing {
  id: string
  version: number
  status: ListingStatus
  account_id: string
  unit_id: string
  channel_target_id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
}

export async function lockListing(transaction: Transaction, id: string): Promise<LockedListing> {
  const listing = await first(
    transaction,
    sql<LockedListing>`
      select id, version, status, account_id, unit_id, channel_target_id, external_id, rate_plans
      from channel_listings
      where org_id = ${transaction.orgId}
        and id = ${id}
      for update`,
  )
  if (!listing) throw new NotFound('channel listing', id)
  return listing
}

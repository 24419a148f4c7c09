import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { containing, pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import { nested, type Listed, type Stored } from '#http/replies.ts'

interface ListingRow extends Listed {
  unit: string
  channel_target: string
  last_synced_at: string | null
  error_message: string | null
  updated_at: string
  version: number
}

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'channel_target_id', 'status', 'external_id'],
  indexed: ['channel_target_id', 'unit_id'],
}
/** `o` is what lists filter and sort by: as the row has it, but the time of the last change is that of all that is shown. */
const joined = sql`from channel_listings l
  join units u on u.org_id = l.org_id and u.id = l.unit_id
  join channel_targets t on t.org_id = l.org_id and t.id = l.channel_target_id
  join listing_syncs s on s.org_id = l.org_id and s.channel_listing_id = l.id,
  lateral (select l.id, l.org_id, l.account_id, l.unit_id, l.channel_target_id, l.status, l.external_id, l.created_at,
    greatest(l.updated_at, s.shown_at) as updated_at) o`
const shown = sql`l.json, u.json as unit, t.json as channel_target, s.last_synced_at, s.error_message, o.updated_at`

export const listingText = (row: Omit<ListingRow, 'id' | 'sort_value' | 'version'>) =>
  // The stored text ends with the time of the row.
  nested(row.json.replace(/"updated_at":"[^"]*"}$/, `"updated_at":${JSON.stringify(row.updated_at)}}`), {
    last_synced_at: JSON.stringify(row.last_synced_at),
    error_message: JSON.stringify(row.error_message),
    unit: row.unit,
    channel_target: row.channel_target,
  })

/** `q` searches the external id and the name of the unit. */
export function listListings(scope: Scope, { q, ...filter }: { q?: string }, page: PageRequest) {
  const found = q ? sql` and (l.external_id ilike ${containing(q)} or u.name ilike ${containing(q)})` : sql``
  const select = (where: RawBuilder<unknown>) => sql<ListingRow>`
    select l.id, ${shown}, ${sortColumn('o', page)} as sort_value
    ${joined} where l.org_id = ${scope.orgId}${found}${where}`
  return rows(scope, pageOf('o', filter, listColumns, page, select))
}

export async function findListing(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<ListingRow>`select ${shown}, l.version ${joined}
      where l.org_id = ${scope.orgId} and l.id = ${id}`,
  )
  if (!row) throw new NotFound('channel listing', id)
  return { json: listingText(row), version: row.version }
}

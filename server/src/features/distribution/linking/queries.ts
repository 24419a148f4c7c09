import { sql } from '#db/sql.ts'
import { first, rows, type Scope } from '#db/scope.ts'
import { targetsOfProperty } from '#features/distribution/channel-targets/queries.ts'

/** A listing with all that a preflight checks of its unit. */
export interface LinkedListing {
  id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
  status: string
  unit: {
    name: string
    max_guests: number
    quantity: number
    currency: string
    status: string
    base_price_cents: number
  }
  space: { id: string; name: string; status: string }
  /** The active rate plans of the unit. */
  plans: { id: string; name: string; is_default: boolean }[]
}

export const listLinkedListings = (scope: Scope, targetId: string) =>
  rows(
    scope,
    sql<LinkedListing>`
      select listing.id, listing.external_id, listing.rate_plans, listing.status,
        json_build_object('name', unit.name, 'max_guests', unit.max_guests, 'quantity', unit.quantity,
          'currency', unit.currency, 'status', unit.status, 'base_price_cents', unit.base_price_cents) as unit,
        json_build_object('id', space.id, 'name', space.name, 'status', space.status) as space,
        coalesce((
          select json_agg(
            json_build_object('id', plan.id, 'name', plan.name, 'is_default', plan.is_default)
            order by plan.created_at, plan.id)
          from rate_plans plan
          where plan.org_id = unit.org_id
            and plan.unit_id = unit.id
            and plan.status = 'active'), '[]') as plans
      from channel_listings listing
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where listing.org_id = ${scope.orgId}
        and listing.channel_target_id = ${targetId}
      order by listing.created_at, listing.id`,
  )

export const getTargetId = async (scope: Scope, listingId: string): Promise<string | undefined> => {
  const listing = await first(
    scope,
    sql<{ channel_target_id: string }>`
      select channel_target_id
      from channel_listings
      where org_id = ${scope.orgId}
        and id = ${listingId}`,
  )
  return listing?.channel_target_id
}

export type ListingMapping = Pick<LinkedListing, 'id' | 'external_id' | 'rate_plans'>

/** What listings of other targets of the same property map. */
export const listMappingsElsewhere = (scope: Scope, { id }: { id: string }) =>
  rows(
    scope,
    sql<ListingMapping>`
      select id, external_id, rate_plans
      from channel_listings
      where org_id = ${scope.orgId}
        and channel_target_id = any(array(${targetsOfProperty(scope.orgId, id)}))
        and channel_target_id <> ${id}`,
  )

export interface UnlinkedUnit {
  id: string
  name: string
  space_name: string
  max_guests: number
}

const maxUnits = 20_000

/** The units of an account that are not linked to a target. */
export const listUnlinkedUnits = (scope: Scope, target: { id: string; account_id: string }) =>
  rows(
    scope,
    sql<UnlinkedUnit>`
      select unit.id, unit.name, space.name as space_name, unit.max_guests
      from units unit
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where unit.org_id = ${scope.orgId}
        and unit.account_id = ${target.account_id}
        and unit.status <> 'archived'
        and not exists (
          select 1
          from channel_listings listing
          where listing.org_id = unit.org_id
            and listing.unit_id = unit.id
            and listing.channel_target_id = ${target.id})
      order by unit.created_at, unit.id
      limit ${maxUnits}`,
  )

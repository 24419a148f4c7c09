import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import type { TargetConfig } from '../channel-targets/channel-target.ts'

/** A listing with what is to be known of its unit before it goes live. */
export interface Linked {
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
  /** The plans of the unit that are sold. */
  plans: { id: string; name: string; is_default: boolean }[]
}

export const linkedListings = (scope: Scope, targetId: string) =>
  rows(
    scope,
    sql<Linked>`select l.id, l.external_id, l.rate_plans, l.status,
        json_build_object('name', u.name, 'max_guests', u.max_guests, 'quantity', u.quantity, 'currency', u.currency,
          'status', u.status, 'base_price_cents', u.base_price_cents) as unit,
        json_build_object('id', s.id, 'name', s.name, 'status', s.status) as space,
        coalesce((select json_agg(json_build_object('id', p.id, 'name', p.name, 'is_default', p.is_default)
            order by p.created_at, p.id)
          from rate_plans p where p.org_id = u.org_id and p.unit_id = u.id and p.status = 'active'), '[]') as plans
      from channel_listings l
      join units u on u.org_id = l.org_id and u.id = l.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where l.org_id = ${scope.orgId} and l.channel_target_id = ${targetId}
      order by l.created_at, l.id`,
  )

export const targetOf = async (scope: Scope, listingId: string): Promise<string | undefined> => {
  const found = await first(
    scope,
    sql<{ channel_target_id: string }>`select channel_target_id from channel_listings
      where org_id = ${scope.orgId} and id = ${listingId}`,
  )
  return found?.channel_target_id
}

export type Use = Pick<Linked, 'id' | 'external_id' | 'rate_plans'>

/** Listings of other targets that lead to the same property at the same PMS: an account id says which, else the property. */
export const usedElsewhere = (scope: Scope, { id, config }: { id: string; config: TargetConfig }) =>
  rows(
    scope,
    sql<Use>`select l.id, l.external_id, l.rate_plans
      from channel_targets t join channel_listings l on l.org_id = t.org_id and l.channel_target_id = t.id
      where t.org_id = ${scope.orgId} and t.id <> ${id}
        and coalesce(t.config ->> 'provider', 'sandbox') = ${config.provider ?? 'sandbox'}
        and rtrim(coalesce(t.config ->> 'base_url', ''), '/') = rtrim(${config.base_url ?? ''}, '/')
        and coalesce(t.config #>> '{credentials,account_id}', t.config ->> 'property_ref', t.id::text)
          = ${config.credentials?.account_id ?? config.property_ref ?? id}`,
  )

export interface UnlinkedUnit {
  id: string
  name: string
  space_name: string
  max_guests: number
}

/** The units of an account that a target does not offer yet. */
export const unlinkedUnits = (scope: Scope, target: { id: string; account_id: string }) =>
  rows(
    scope,
    sql<UnlinkedUnit>`select u.id, u.name, s.name as space_name, u.max_guests
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where u.org_id = ${scope.orgId} and u.account_id = ${target.account_id} and u.status <> 'archived'
        and not exists (select 1 from channel_listings l
          where l.org_id = u.org_id and l.unit_id = u.id and l.channel_target_id = ${target.id})
      order by u.created_at, u.id limit 20000`,
  )

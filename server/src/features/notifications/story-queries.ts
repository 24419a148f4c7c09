import { sql } from 'kysely'
import { first, type Scope } from '#db/scope.ts'

export interface Happened {
  type: string
  account_id: string | null
  position: string
  data: Record<string, unknown>
}

export const findEvent = (scope: Scope, id: string) =>
  first(
    scope,
    sql<Happened>`select type, account_id, position::text, data from events
      where org_id = ${scope.orgId} and id = ${id}`,
  )

export interface Place {
  unit_name: string
  space_name: string
  address: string | null
}

export const findPlace = (scope: Scope, unitId: string) =>
  first(
    scope,
    sql<Place>`select u.name as unit_name, s.name as space_name,
        nullif(concat_ws(', ', s.address, nullif(concat_ws(' ', s.zip, s.city), '')), '') as address
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where u.org_id = ${scope.orgId} and u.id = ${unitId}`,
  )

/** Whether a date was over, where the unit is, at a moment. */
export const wasDateOver = async (
  scope: Scope,
  { unitId, date, at }: { unitId: string; date: string; at: string },
): Promise<boolean> =>
  (
    await first(
      scope,
      sql<{ over: boolean }>`select ${date}::date < (${at}::timestamptz at time zone s.timezone)::date as over
        from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
        where u.org_id = ${scope.orgId} and u.id = ${unitId}`,
    )
  )?.over ?? false

export const findTargetName = async (scope: Scope, targetId: string) =>
  (
    await first(
      scope,
      sql<{
        name: string
      }>`select name from channel_targets where org_id = ${scope.orgId} and id = ${targetId}`,
    )
  )?.name ?? null

export const findStay = (scope: Scope, bookingId: string) =>
  first(
    scope,
    sql<{ guest_name: string; unit_id: string }>`select guest_name, unit_id from bookings
      where org_id = ${scope.orgId} and id = ${bookingId}`,
  )

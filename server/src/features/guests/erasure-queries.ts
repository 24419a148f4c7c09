import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import type { SubjectKind } from './guest.ts'

export const listErasures = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select e.id, e.json, ${sortColumn('e', page)} as sort_value from guest_erasures e
      where e.org_id = ${scope.orgId}${filters('e', filter, ['org_id', 'status'])}${pageClause('e', page)}`,
  )

export async function findErasure(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<Stored>`select json, version from guest_erasures where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('guest erasure', id)
  return row
}

export interface NewErasure {
  readonly id: string
  readonly subject: SubjectKind
  readonly subjectHash: string
  readonly plan: Buffer
}

/** Does nothing when it is there already. */
export const insertErasure = (transaction: Transaction, { id, subject, subjectHash, plan }: NewErasure) =>
  rows(
    transaction,
    sql`insert into guest_erasures (id, org_id, subject, subject_hash, plan, requested_by, traceparent)
      values (${id}, ${transaction.orgId}, ${subject}, ${subjectHash}, ${plan}, ${JSON.stringify(transaction.actor)},
        ${transaction.traceparent}) on conflict (id) do nothing`,
  )

/** Whether the organization is there. */
export const isThere = async (transaction: Transaction): Promise<boolean> =>
  (await first(transaction, sql`select 1 from organizations where id = ${transaction.orgId}`)) !== undefined

export interface OpenErasure {
  readonly id: string
  readonly subject: SubjectKind
  readonly subject_hash: string
  readonly status: 'pending' | 'running'
  readonly plan: Buffer
  readonly requested_by: { type: 'user' | 'service' | 'system'; id: string; name: string }
  readonly created_at: string
}

/** Undefined when it is done. */
export const lookForOpen = (scope: Scope, id: string) =>
  first(
    scope,
    sql<OpenErasure>`select id, subject, subject_hash, status, plan, requested_by, created_at from guest_erasures
      where org_id = ${scope.orgId} and id = ${id} and status <> 'completed' ${scope.connection ? sql`for update` : sql``}`,
  )

const touched = sql`version = version + 1, updated_at = clock_timestamp()`

export const noteFound = (transaction: Transaction, id: string, plan: Buffer, bookings: number) =>
  rows(
    transaction,
    sql`update guest_erasures set status = 'running', plan = ${plan}, bookings = ${bookings}, ${touched}
      where org_id = ${transaction.orgId} and id = ${id}`,
  )

/** Adds to what was done so far; a run that found nothing shows that it lives. */
export const noteErased = (transaction: Transaction, id: string, kind: string, more: number) =>
  rows(
    transaction,
    sql`update guest_erasures set erased = case when ${more}::int = 0 then erased
          else jsonb_set(erased, array[${kind}::text], to_jsonb(coalesce((erased ->> ${kind})::int, 0) + ${more}::int)) end,
        ${touched}
      where org_id = ${transaction.orgId} and id = ${id}`,
  )

export const noteCompleted = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`update guest_erasures set status = 'completed', plan = null, completed_at = clock_timestamp(), ${touched}
      where org_id = ${transaction.orgId} and id = ${id} and status <> 'completed'`,
  )

/** What keeps a forgotten guest from coming back; it names bookings, nobody. */
export interface ErasedBooking {
  readonly booking_id: string | null
  readonly channel_target_id: string | null
  readonly pms_booking_id: string | null
}

export const insertErased = (transaction: Transaction, id: string, erased: readonly ErasedBooking[]) =>
  rows(
    transaction,
    sql`insert into erased_bookings (org_id, guest_erasure_id, booking_id, channel_target_id, pms_booking_id)
      select ${transaction.orgId}, ${id}, booking_id, channel_target_id, pms_booking_id
      from jsonb_to_recordset(${JSON.stringify(erased)}::jsonb)
        as e (booking_id uuid, channel_target_id uuid, pms_booking_id text)`,
  )

/**
 * Whether the guest of a booking of a PMS was forgotten: asked for, or because the stay is long past. The caller holds
 * the lock of that booking, and so does whoever forgets.
 */
export async function isForgotten(
  transaction: Transaction,
  targetId: string,
  pmsBookingId: string,
  lines: readonly string[],
): Promise<boolean> {
  const row = await first(
    transaction,
    sql<{
      forgotten: boolean
    }>`select exists (select 1 from erased_bookings where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId} and pms_booking_id = ${pmsBookingId})
      or exists (select 1 from bookings where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and external_id = any(${lines}::text[]) and guest_erased_at is not null) as forgotten`,
  )
  return row!.forgotten
}

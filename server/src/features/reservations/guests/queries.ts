import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import { first, rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound, unknownReference } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { PmsGuest } from '#features/reservations/bookings/queries.ts'
import type { ErasedBooking } from './erased-bookings.ts'
import type { SubjectKind } from './guest.ts'

export const listErasures = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select erasure.id, erasure.json, ${sortColumn('erasure', page)} as sort_value
      from guest_erasures erasure
      where erasure.org_id = ${scope.orgId}
        ${filterClause('erasure', filter, ['org_id', 'status'])}
      ${pageClause('erasure', page)}`,
  )

export async function findErasure(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<StoredRecord>`select json, version from guest_erasures where org_id = ${scope.orgId} and id = ${id}`,
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

/** Does nothing if it exists. */
export const insertErasure = (transaction: Transaction, { id, subject, subjectHash, plan }: NewErasure) =>
  rows(
    transaction,
    sql`
      insert into guest_erasures (id, org_id, subject, subject_hash, plan, requested_by, traceparent)
      values (${id}, ${transaction.orgId}, ${subject}, ${subjectHash}, ${plan},
        ${JSON.stringify(transaction.actor)}, ${transaction.traceparent})
      on conflict (id) do nothing`,
  )

export const organizationExists = async (transaction: Transaction): Promise<boolean> =>
  (await first(transaction, sql`select 1 from organizations where id = ${transaction.orgId}`)) !== undefined

export interface OpenErasure {
  readonly id: string
  readonly subject: SubjectKind
  readonly subject_hash: string
  readonly plan: NotNull<Buffer>
  readonly requested_by: Actor
  readonly created_at: string
}

/** Undefined when it is completed. */
export const getOpenErasure = (scope: Scope, id: string) =>
  first(
    scope,
    sql<OpenErasure>`
      select id, subject, subject_hash, plan, requested_by, created_at
      from guest_erasures
      where org_id = ${scope.orgId}
        and id = ${id}
        and status <> 'completed'
      ${scope.connection ? sql`for update` : sql``}`,
  )

const touched = sql`version = version + 1, updated_at = clock_timestamp()`

export const recordFound = (transaction: Transaction, id: string, plan: Buffer, bookings: number) =>
  rows(
    transaction,
    sql`
      update guest_erasures
      set status = 'running',
        plan = ${plan},
        bookings = ${bookings},
        ${touched}
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

/** Adds to the count of a kind. A count of 0 still updates `updated_at`, as a sign of progress. */
export const addErasedCount = (transaction: Transaction, id: string, kind: string, more: number) =>
  rows(
    transaction,
    sql`
      update guest_erasures
      set erased = case
          when ${more}::int = 0 then erased
          else jsonb_set(erased, array[${kind}::text],
            to_jsonb(coalesce((erased ->> ${kind})::int, 0) + ${more}::int))
        end,
        ${touched}
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

export const markCompleted = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`
      update guest_erasures
      set status = 'completed',
        plan = null,
        completed_at = clock_timestamp(),
        ${touched}
      where org_id = ${transaction.orgId}
        and id = ${id}
        and status <> 'completed'`,
  )

export interface Subject {
  readonly kind: SubjectKind
  readonly value: string
}

const digits = (text: string) => text.replace(/\D/g, '')

/** Matches bookings of the guest in any status, deleted ones too. */
const matchesGuest = ({ kind, value }: Subject): Fragment => {
  if (kind === 'booking_id') return sql`booking.id = ${value}::uuid`
  return kind === 'email'
    ? sql`(booking.guest_email_key = lower(${value}) or booking.pms_email_key = lower(${value}))`
    : sql`(booking.guest_phone_key = ${digits(value)} or booking.pms_phone_key = ${digits(value)})`
}

export interface GuestBooking {
  readonly id: string
  readonly json: string
  readonly space_id: string
  readonly account_id: string
  readonly channel_target_id: string | null
  /** The id of the whole booking at the PMS, of which this may be one room. */
  readonly pms_booking_id: string | null
  readonly guest_name: string
  readonly guest_email: string | null
  readonly guest_phone: string | null
  /** The guest as the PMS sent it last. */
  readonly pms_guest: Partial<PmsGuest> | null
}

export const listBookingsOfGuest = (scope: Scope, subject: Subject, limit: number | null) =>
  rows(
    scope,
    sql<GuestBooking>`
      select booking.id, booking.json, unit.space_id, booking.account_id, booking.channel_target_id,
        booking.guest_name, booking.guest_email, booking.guest_phone, booking.pms_guest,
        coalesce(pms_booking.external_id, booking.external_id) as pms_booking_id
      from bookings booking
      join units unit
        on unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      left join pms_bookings pms_booking
        on pms_booking.org_id = booking.org_id
        and pms_booking.channel_target_id = booking.channel_target_id
        and pms_booking.external_id in (booking.external_id, regexp_replace(booking.external_id, '#[^#]*$', ''))
      where booking.org_id = ${scope.orgId}
        and ${matchesGuest(subject)}
      order by booking.created_at, booking.id
      limit ${limit}`,
  )

/** Bookings of a PMS that could not be applied contain the guest, too. */
export const listConflictsOfGuest = (scope: Scope, subject: Subject) =>
  rows(
    scope,
    sql<ErasedBooking & { guest: object }>`
      select distinct null::uuid as booking_id, conflict.channel_target_id, conflict.pms_booking_id,
        conflict.booking as guest
      from booking_conflicts conflict
      where conflict.org_id = ${scope.orgId}
        and ${conflictHasGuest(subject)}`,
  )

const conflictHasGuest = ({ kind, value }: Subject): Fragment => {
  if (kind === 'booking_id') return sql`conflict.booking_id = ${value}::uuid`
  return kind === 'email'
    ? sql`lower(conflict.booking ->> 'guestEmail') = lower(${value})`
    : sql`regexp_replace(conflict.booking ->> 'guestPhone', '[^0-9]', '', 'g') = ${digits(value)}`
}

/** @throws Invalid when the subject is a booking that does not exist */
export async function assertBookingExists(scope: Scope, { kind, value }: Subject): Promise<void> {
  if (kind !== 'booking_id') return
  const found = await first(
    scope,
    sql`select 1 from bookings where org_id = ${scope.orgId} and id = ${value}::uuid`,
  )
  if (!found) throw unknownReference('booking_id', 'booking')
}

import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { unknownReference } from '#errors.ts'
import type { PmsGuest } from '../bookings/queries.ts'
import type { ErasedBooking } from './erasure-queries.ts'
import type { SubjectKind } from './guest.ts'

export interface Subject {
  readonly kind: SubjectKind
  readonly value: string
}

const digits = (text: string) => text.replace(/\D/g, '')

/** Bookings of a guest, whatever became of them. */
const ofGuest = ({ kind, value }: Subject): RawBuilder<unknown> => {
  if (kind === 'booking_id') return sql`b.id = ${value}::uuid`
  return kind === 'email'
    ? sql`(b.guest_email_key = lower(${value}) or b.pms_email_key = lower(${value}))`
    : sql`(b.guest_phone_key = ${digits(value)} or b.pms_phone_key = ${digits(value)})`
}

export interface GuestBooking {
  readonly id: string
  readonly json: string
  readonly space_id: string
  readonly account_id: string
  readonly channel_target_id: string | null
  /** The whole booking at the PMS. */
  readonly pms_booking_id: string | null
  readonly guest_name: string
  readonly guest_email: string | null
  readonly guest_phone: string | null
  /** As the PMS told the guest last. */
  readonly pms_guest: Partial<PmsGuest> | null
}

export const findBookings = (scope: Scope, subject: Subject, limit: number | null) =>
  rows(
    scope,
    sql<GuestBooking>`select b.id, b.json, u.space_id, b.account_id, b.channel_target_id, b.guest_name, b.guest_email,
        b.guest_phone, b.pms_guest, coalesce(p.external_id, b.external_id) as pms_booking_id
      from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id
        left join pms_bookings p on p.org_id = b.org_id and p.channel_target_id = b.channel_target_id
          and p.external_id in (b.external_id, regexp_replace(b.external_id, '#[^#]*$', ''))
      where b.org_id = ${scope.orgId} and ${ofGuest(subject)} order by b.created_at, b.id limit ${limit}`,
  )

/** Bookings of a PMS that found no place here name their guest all the same. */
export const findHomeless = (scope: Scope, { kind, value }: Subject) =>
  rows(
    scope,
    sql<
      ErasedBooking & { guest: object }
    >`select distinct null::uuid as booking_id, c.channel_target_id, c.pms_booking_id,
        c.booking as guest
      from booking_conflicts c where c.org_id = ${scope.orgId} and ${
        kind === 'booking_id'
          ? sql`c.booking_id = ${value}::uuid`
          : kind === 'email'
            ? sql`lower(c.booking ->> 'guestEmail') = lower(${value})`
            : sql`regexp_replace(c.booking ->> 'guestPhone', '[^0-9]', '', 'g') = ${digits(value)}`
      }`,
  )

/** Whoever applies a word of the PMS has done so, or waits until this transaction has ended. */
export const lockAtPms = (transaction: Transaction, erased: readonly ErasedBooking[]) =>
  rows(
    transaction,
    sql`select 1 from pms_bookings p join jsonb_to_recordset(${JSON.stringify(erased)}::jsonb)
        as e (channel_target_id uuid, pms_booking_id text)
        on p.channel_target_id = e.channel_target_id and p.external_id = e.pms_booking_id
      where p.org_id = ${transaction.orgId} order by p.channel_target_id, p.external_id for update of p`,
  )

/** @throws Invalid when a booking is named that is not there; nobody has to be there for an address or a number. */
export async function refuseUnknownBooking(scope: Scope, { kind, value }: Subject): Promise<void> {
  if (kind !== 'booking_id') return
  const found = await first(
    scope,
    sql`select 1 from bookings where org_id = ${scope.orgId} and id = ${value}::uuid`,
  )
  if (!found) throw unknownReference('booking_id', 'booking')
}

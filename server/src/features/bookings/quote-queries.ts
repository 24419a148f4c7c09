import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { Booking } from './booking.ts'

export interface KnownQuote {
  readonly unit_id: string
  readonly rate_plan_id: string | null
  readonly check_in: string
  readonly check_out: string
  readonly guests: number
  readonly rooms: number
  readonly currency: string
  readonly total_cents: number
  readonly expires_at: string
  readonly is_over: boolean
  readonly booking_id: string | null
  /** The pending booking that keeps its rooms free. */
  readonly hold: Booking | null
  readonly hold_version: number | null
}

/** The unit is locked: whoever books by this quote has locked it, too. */
export const findQuote = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<KnownQuote>`select q.unit_id, q.rate_plan_id, q.check_in, q.check_out, q.guests, q.rooms, q.currency, q.total_cents,
        iso(q.expires_at) as expires_at, q.expires_at <= now() as is_over, q.booking_id,
        b.json::jsonb || jsonb_build_object('spaceId', u.space_id) as hold, b.version as hold_version
      from quotes q join units u on u.org_id = q.org_id and u.id = q.unit_id
      left join bookings b on b.org_id = q.org_id and b.quote_id = q.id and b.status = 'pending'
        and b.hold_expires_at is not null and b.deleted_at is null
      where q.org_id = ${transaction.orgId} and q.id = ${id}`,
  )

/** From now on the quote is this booking's, and nobody else's. */
export const takeQuote = (transaction: Transaction, quoteId: string, bookingId: string) =>
  rows(
    transaction,
    sql`update quotes set booking_id = ${bookingId}, version = version + 1
      where org_id = ${transaction.orgId} and id = ${quoteId}`,
  )

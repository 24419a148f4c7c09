import { atomically, type Scope } from '#db/scope.ts'
import { nested } from '#http/replies.ts'
import { parseTraceparent } from '#telemetry.ts'
import { bookingText } from '../bookings/queries.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { findHeld } from './export-queries.ts'
import { findBookings, findHomeless, refuseUnknownBooking, type GuestBooking } from './find-queries.ts'
import { subjectOf, type GuestSubject } from './guest.ts'

const mostOfAKind = 1_000

/** All that is held of a guest, as JSON. That it was asked for stands in the history, without the guest. */
export const exportGuest = (scope: Scope, given: GuestSubject): Promise<string> =>
  atomically(scope, async (transaction) => {
    const subject = subjectOf(given)
    await refuseUnknownBooking(transaction, subject)
    const found = await findBookings(transaction, subject, mostOfAKind + 1)
    const homeless = await findHomeless(transaction, subject)
    const named = found.map(({ id, ...rest }) => ({ booking_id: id, ...rest }))
    const held = await findHeld(transaction, subject, [...named, ...homeless], mostOfAKind)
    const lists = { bookings: found.map(withPmsGuest), ...held }
    const isComplete = Object.values(lists).every(({ length }) => length <= mostOfAKind)
    const members = Object.entries(lists).map(
      ([name, texts]) => `"${name}":[${texts.slice(0, mostOfAKind).join(',')}]`,
    )
    addAuditEntries(
      transaction,
      entriesFor(found).map((entry) => ({
        ...entry,
        action: 'guest.exported',
        trigger: 'manual',
        actor: transaction.actor,
        trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
      })),
    )
    const head = { subject: given, created_at: new Date().toISOString(), is_complete: isComplete }
    return `${JSON.stringify(head).slice(0, -1)},${members.join(',')}}`
  })

/** With the guest as the PMS told it, where people here have changed that since. */
const withPmsGuest = (found: GuestBooking) =>
  nested(bookingText(found), found.pms_guest ? { pmsGuest: JSON.stringify(found.pms_guest) } : {})

/** One for each account whose bookings were shown. */
const entriesFor = (found: readonly GuestBooking[]) =>
  [...Map.groupBy(found, ({ account_id }) => account_id)].map(([account_id, those]) => ({
    account_id,
    changes: [{ field: 'bookings', before: null, after: those.length }],
  }))

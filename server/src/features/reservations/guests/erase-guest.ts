import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import type { Vault } from '#secrets/vault.ts'
import { anonymizeGuests } from './anonymize-guests.ts'
import { insertErasedBookings, lockPmsBookings, type ErasedBooking } from './erased-bookings.ts'
import {
  addErasedCount,
  getOpenErasure,
  listBookingsOfGuest,
  listConflictsOfGuest,
  markCompleted,
  recordFound,
  type GuestBooking,
  type OpenErasure,
} from './queries.ts'
import { appendToJournal } from './erasure-journal.ts'
import { collectGuest, openPlan, sealPlan, buildTraces, type ErasurePlan } from './erasure-plan.ts'
import { redactBatch, redactFreeText, traceKinds, type Traces } from './redact-traces.ts'

/** What an erasure needs beside the database. */
export interface ErasureContext {
  readonly vault: Vault
  /** The folder of the erasure journal. */
  readonly dataDirectory: string
}

const batchSize = 100

/**
 * Erases a guest in several transactions; a second run continues, or changes nothing. It first records which bookings
 * are erased, so that a PMS does not bring the guest back, then anonymizes the bookings, then all records about them.
 */
export async function eraseGuest(
  scope: Scope,
  { vault, dataDirectory }: ErasureContext,
  erasureId: string,
  signal: AbortSignal,
): Promise<void> {
  const prepared = await atomically(scope, (transaction) => prepareErasure(transaction, vault, erasureId))
  if (!prepared) return
  const { erasure, plan } = prepared
  const { erased } = plan.found!
  const addCount = (transaction: Transaction, kind: string, more: number) =>
    addErasedCount(transaction, erasureId, kind, more)
  const bookingIds = erased.flatMap(({ booking_id }) => booking_id ?? [])
  for (let at = 0; at < bookingIds.length; at += batchSize) {
    signal.throwIfAborted()
    await atomically(scope, async (transaction) => {
      const ids = bookingIds.slice(at, at + batchSize)
      const anonymized = await anonymizeGuests(transaction, ids, {
        actor: erasure.requested_by,
        publishes: true,
      })
      await addCount(transaction, 'bookings', anonymized)
    })
  }
  await eraseTraces(scope, buildTraces(plan), signal, addCount)
  if (erased.length > 0) await appendToJournal(dataDirectory, buildJournalEntry(scope.orgId, erasure, erased))
  await atomically(scope, (transaction) => markCompleted(transaction, erasureId))
  events.guestErased({ orgId: scope.orgId, erasureId, bookings: bookingIds.length })
}

/** Erases the guest from everything but the bookings. */
async function eraseTraces(
  scope: Scope,
  traces: Traces,
  signal: AbortSignal,
  addCount: (transaction: Transaction, kind: string, more: number) => Promise<unknown> = async () => {},
): Promise<void> {
  for (const kind of traceKinds)
    for (let after: string | null = ''; after !== null;) {
      signal.throwIfAborted()
      const from: string = after
      after = await atomically(scope, async (transaction) => {
        const { last, changed } = await redactBatch(transaction, kind, traces, from)
        await addCount(transaction, kind, changed)
        return last
      })
    }
  await atomically(scope, async (transaction) => {
    for (const [kind, changed] of Object.entries(await redactFreeText(transaction, traces)))
      await addCount(transaction, kind, changed)
  })
}

/** Erases what a PMS sends later about a booking whose guest was erased. */
export const erasePmsBooking = (
  scope: Scope,
  { targetId, pmsBookingId }: { targetId: string; pmsBookingId: string },
  signal: AbortSignal,
): Promise<void> => {
  const noTerms = { emails: [], phones: [], names: [] }
  const pms = [{ targetId, id: pmsBookingId }]
  return eraseTraces(scope, { bookingIds: [], pms, guest: noTerms, anywhere: noTerms }, signal)
}

/** Finds the bookings once and stores them in the sealed plan. Undefined when the erasure is completed. */
async function prepareErasure(
  transaction: Transaction,
  vault: Vault,
  erasureId: string,
): Promise<{ erasure: OpenErasure; plan: ErasurePlan } | undefined> {
  const erasure = await getOpenErasure(transaction, erasureId)
  if (!erasure) return undefined
  const plan = openPlan(vault, transaction.orgId, erasureId, erasure.plan)
  if (plan.found) return { erasure, plan }
  const { bookings, erased, others } = await findGuestBookings(transaction, plan)
  await insertErasedBookings(transaction, erasureId, erased)
  // Waits for transactions that apply a message of the PMS; later ones see that the guest is erased.
  await lockPmsBookings(transaction, erased)
  const whole: ErasurePlan = { ...plan, found: { guest: collectGuest(bookings, others), erased } }
  const count = erased.filter(({ booking_id }) => booking_id !== null).length
  await recordFound(transaction, erasureId, sealPlan(vault, transaction.orgId, erasureId, whole), count)
  return { erasure, plan: whole }
}

async function findGuestBookings(
  transaction: Transaction,
  { subject, knownBookings: known = [] }: ErasurePlan,
) {
  const subjects = subject
    ? [subject]
    : known.flatMap(({ booking_id }) =>
        booking_id === null ? [] : [{ kind: 'booking_id' as const, value: booking_id }],
      )
  const bookings: GuestBooking[] = []
  const others: (ErasedBooking & { guest: object })[] = []
  for (const one of subjects) {
    bookings.push(...(await listBookingsOfGuest(transaction, one, null)))
    others.push(...(await listConflictsOfGuest(transaction, one)))
  }
  const found = [
    ...bookings.map(({ id, channel_target_id, pms_booking_id }) => ({
      ...{ booking_id: id, channel_target_id, pms_booking_id },
    })),
    ...others.map(({ guest: _, ...named }) => named),
    ...known,
  ]
  const erased = [...new Map(found.map((one) => [JSON.stringify(Object.values(one)), one])).values()]
  return { bookings, erased, others: others.map(({ guest }) => guest) }
}

const buildJournalEntry = (
  org_id: string,
  { id, subject, subject_hash, created_at }: OpenErasure,
  bookings: readonly ErasedBooking[],
) => ({ id, org_id, subject, subject_hash, requested_at: created_at, bookings: [...bookings] })

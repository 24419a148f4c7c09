import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#events.ts'
import type { Vault } from '#secrets.ts'
import { forgetGuests } from './forget-guests.ts'
import {
  insertErased,
  lookForOpen,
  noteCompleted,
  noteErased,
  noteFound,
  type ErasedBooking,
  type OpenErasure,
} from './erasure-queries.ts'
import { findBookings, findHomeless, lockAtPms, type GuestBooking } from './find-queries.ts'
import { addToJournal } from './journal.ts'
import { guestIn, openPlan, sealPlan, tracesOf, type Plan } from './plan.ts'
import { mendSome, mendWords, tracePlaces, type Traces } from './trace-queries.ts'

/** What an erasure reaches for. */
export interface Erasing {
  readonly vault: Vault
  /** Where the journal is kept. */
  readonly home: string
}

const atOnce = 100

/**
 * Forgets a guest, in transactions of their own size; what was done stays done, and a second run goes on or changes
 * nothing. First what keeps the guest from coming back, then the bookings, then all that speaks of them.
 */
export async function eraseGuest(
  scope: Scope,
  { vault, home }: Erasing,
  erasureId: string,
  signal: AbortSignal,
): Promise<void> {
  const begun = await atomically(scope, (transaction) => find(transaction, vault, erasureId))
  if (!begun) return
  const { erasure, plan } = begun
  const { erased } = plan.found!
  const note = (transaction: Transaction, kind: string, more: number) =>
    noteErased(transaction, erasureId, kind, more)
  const bookingIds = erased.flatMap(({ booking_id }) => booking_id ?? [])
  for (let at = 0; at < bookingIds.length; at += atOnce) {
    signal.throwIfAborted()
    await atomically(scope, async (transaction) => {
      const ids = bookingIds.slice(at, at + atOnce)
      const forgotten = await forgetGuests(transaction, ids, { actor: erasure.requested_by, tells: true })
      await note(transaction, 'bookings', forgotten)
    })
  }
  await eraseTraces(scope, tracesOf(plan), signal, note)
  if (erased.length > 0) await addToJournal(home, lineOf(scope.orgId, erasure, erased))
  await atomically(scope, (transaction) => noteCompleted(transaction, erasureId))
  events.guestErased({ orgId: scope.orgId, erasureId, bookings: bookingIds.length })
}

/** Everything beside the bookings. */
export async function eraseTraces(
  scope: Scope,
  traces: Traces,
  signal: AbortSignal,
  note: (transaction: Transaction, kind: string, more: number) => Promise<unknown> = async () => {},
): Promise<void> {
  for (const kind of tracePlaces)
    for (let after: string | null = ''; after !== null;) {
      signal.throwIfAborted()
      const from: string = after
      after = await atomically(scope, async (transaction) => {
        const { last, changed } = await mendSome(transaction, kind, traces, from)
        await note(transaction, kind, changed)
        return last
      })
    }
  await atomically(scope, async (transaction) => {
    for (const [kind, changed] of Object.entries(await mendWords(transaction, traces)))
      await note(transaction, kind, changed)
  })
}

/** Looks for the bookings, once; from then on the seal says which they are. Undefined when it is done already. */
async function find(
  transaction: Transaction,
  vault: Vault,
  erasureId: string,
): Promise<{ erasure: OpenErasure; plan: Plan } | undefined> {
  const erasure = await lookForOpen(transaction, erasureId)
  if (!erasure) return undefined
  const plan = openPlan(vault, transaction.orgId, erasureId, erasure.plan)
  if (plan.found) return { erasure, plan }
  const { bookings, erased, others } = await lookFor(transaction, plan)
  await insertErased(transaction, erasureId, erased)
  // Who is applying a word of the PMS ends first; who comes later sees that the guest is forgotten.
  await lockAtPms(transaction, erased)
  const whole: Plan = { ...plan, found: { guest: guestIn(bookings, others), erased } }
  const count = erased.filter(({ booking_id }) => booking_id !== null).length
  await noteFound(transaction, erasureId, sealPlan(vault, transaction.orgId, erasureId, whole), count)
  return { erasure, plan: whole }
}

async function lookFor(transaction: Transaction, { subject, known = [] }: Plan) {
  const subjects = subject
    ? [subject]
    : known.flatMap(({ booking_id }) =>
        booking_id === null ? [] : [{ kind: 'booking_id' as const, value: booking_id }],
      )
  const bookings: GuestBooking[] = []
  const others: (ErasedBooking & { guest: object })[] = []
  for (const one of subjects) {
    bookings.push(...(await findBookings(transaction, one, null)))
    others.push(...(await findHomeless(transaction, one)))
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

const lineOf = (
  org_id: string,
  { id, subject, subject_hash, created_at }: OpenErasure,
  bookings: readonly ErasedBooking[],
) => ({ id, org_id, subject, subject_hash, requested_at: created_at, bookings: [...bookings] })

import { createHmac } from 'node:crypto'
import type { Vault } from '#secrets/vault.ts'
import type { PmsGuest } from '#features/reservations/bookings/queries.ts'
import type { ErasedBooking } from './erased-bookings.ts'
import type { GuestBooking, Subject } from './queries.ts'
import { erasedName, planPlace } from './guest.ts'
import type { GuestTerms } from './redact.ts'
import type { Traces } from './redact-traces.ts'

/** The guest and bookings of an erasure: stored sealed, and deleted when it is completed. */
export interface ErasurePlan {
  readonly subject: Subject | null
  /** Null until the bookings have been searched. */
  readonly found: { readonly guest: GuestTerms; readonly erased: readonly ErasedBooking[] } | null
  /** The bookings of an erasure that is repeated after a restore; the subject is unknown then. */
  readonly knownBookings?: readonly ErasedBooking[]
}

export const sealPlan = (vault: Vault, orgId: string, id: string, plan: ErasurePlan): Buffer =>
  vault.seal(plan, planPlace(orgId, id))
export const openPlan = (vault: Vault, orgId: string, id: string, sealed: Buffer): ErasurePlan =>
  vault.open<ErasurePlan>(sealed, planPlace(orgId, id))

/** A keyed hash, by which one can check whether a given guest was erased. */
export function hashSubject(
  key: { id: string; bytes: Buffer },
  orgId: string,
  { kind, value }: Subject,
): string {
  const digest = createHmac('sha256', key.bytes).update(
    `guest ${orgId} ${kind} ${value.trim().toLowerCase()}`,
  )
  return `${key.id}:${digest.digest('hex')}`
}

export function collectGuest(bookings: readonly GuestBooking[], more: readonly object[]): GuestTerms {
  const others = [...more, ...bookings.map(({ pms_guest }) => pms_guest ?? {})] as Partial<PmsGuest>[]
  const all = (ours: (string | null)[], theirs: (string | null | undefined)[]) =>
    [
      ...new Set(
        [...ours, ...theirs].filter(
          (one) => one !== null && one !== undefined && one !== '' && one !== erasedName,
        ),
      ),
    ] as string[]
  return {
    emails: all(
      bookings.map((one) => one.guest_email),
      others.map((one) => one.guestEmail),
    ),
    phones: all(
      bookings.map((one) => one.guest_phone),
      others.map((one) => one.guestPhone),
    ),
    names: all(
      bookings.map((one) => one.guest_name),
      others.map((one) => one.guestName),
    ),
  }
}

const noTerms: GuestTerms = { emails: [], phones: [], names: [] }

export function buildTraces({ subject, found }: ErasurePlan): Traces {
  const { guest, erased } = found!
  const anywhere =
    subject?.kind === 'email'
      ? { ...noTerms, emails: [subject.value] }
      : subject?.kind === 'phone'
        ? { ...noTerms, phones: [subject.value, ...guest.phones] }
        : noTerms
  return {
    bookingIds: erased.flatMap(({ booking_id }) => booking_id ?? []),
    pms: erased.flatMap(({ channel_target_id: targetId, pms_booking_id: id }) =>
      targetId !== null && id !== null ? [{ targetId, id }] : [],
    ),
    guest,
    anywhere,
  }
}

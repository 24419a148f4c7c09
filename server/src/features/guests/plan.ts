import { createHmac } from 'node:crypto'
import type { Vault } from '#secrets.ts'
import type { PmsGuest } from '../bookings/queries.ts'
import type { ErasedBooking } from './erasure-queries.ts'
import type { GuestBooking, Subject } from './find-queries.ts'
import { erasedName, placeOf } from './guest.ts'
import type { Guest } from './redact.ts'
import type { Traces } from './trace-queries.ts'

/** Whom an erasure is about: kept sealed, and only while the work lasts. */
export interface Plan {
  readonly subject: Subject | null
  /** Null until the bookings were looked for. */
  readonly found: { readonly guest: Guest; readonly erased: readonly ErasedBooking[] } | null
  /** After a restore it is known which bookings they were, and nothing else. */
  readonly known?: readonly ErasedBooking[]
}

export const sealPlan = (vault: Vault, orgId: string, id: string, plan: Plan): Buffer =>
  vault.seal(plan, placeOf(orgId, id))
export const openPlan = (vault: Vault, orgId: string, id: string, sealed: Buffer): Plan =>
  vault.open<Plan>(sealed, placeOf(orgId, id))

/** Tells whether somebody was forgotten, to who has the key and asks for the very same. */
export function hashOf(key: { id: string; bytes: Buffer }, orgId: string, { kind, value }: Subject): string {
  const digest = createHmac('sha256', key.bytes).update(
    `guest ${orgId} ${kind} ${value.trim().toLowerCase()}`,
  )
  return `${key.id}:${digest.digest('hex')}`
}

export function guestIn(bookings: readonly GuestBooking[], more: readonly object[]): Guest {
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

const nobody: Guest = { emails: [], phones: [], names: [] }

export function tracesOf({ subject, found }: Plan): Traces {
  const { guest, erased } = found!
  const anywhere =
    subject?.kind === 'email'
      ? { ...nobody, emails: [subject.value] }
      : subject?.kind === 'phone'
        ? { ...nobody, phones: [subject.value, ...guest.phones] }
        : nobody
  return {
    bookingIds: erased.flatMap(({ booking_id }) => booking_id ?? []),
    pms: erased.flatMap(({ channel_target_id: targetId, pms_booking_id: id }) =>
      targetId !== null && id !== null ? [{ targetId, id }] : [],
    ),
    guest,
    anywhere,
  }
}

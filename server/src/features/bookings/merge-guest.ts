import type { Booking } from './booking.ts'
import type { PmsGuest } from './queries.ts'

type GuestMembers = Pick<Booking, 'guestName' | 'guestEmail' | 'guestPhone' | 'notes' | 'pms_notes'>

/** What a PMS tells now: what is absent is not told, null is told to be empty. */
type ToldGuest = Partial<PmsGuest> & { readonly notes?: string | null }

/** The booking as it is here, and the guest as the PMS told it before; null when that was not recorded. */
interface KnownGuest {
  readonly here: GuestMembers
  readonly told: PmsGuest | null
}

const maxLengths = { guestName: 255, guestEmail: 254, guestPhone: 64 } as const
const maxNotesLength = 10_000

/**
 * The guest after a word of the PMS. A member that the PMS tells as before stays what people here have made of it, and
 * what they wrote is not emptied when the PMS says nothing any more. Notes are theirs; those of the PMS stand apart.
 */
export function mergeGuest(
  now: ToldGuest,
  known: KnownGuest | null,
): GuestMembers & { readonly pmsGuest: PmsGuest } {
  const name = mergeMember('guestName', now, known)
  const email = mergeMember('guestEmail', now, known)
  const phone = mergeMember('guestPhone', now, known)
  return {
    guestName: name.value ?? known?.here.guestName ?? 'Guest',
    guestEmail: email.value,
    guestPhone: phone.value,
    ...mergeNotes(now.notes, known),
    pmsGuest: { guestName: name.told, guestEmail: email.told, guestPhone: phone.told },
  }
}

function mergeMember(member: keyof PmsGuest, now: ToldGuest, known: KnownGuest | null) {
  const here = known?.here[member] ?? null
  const toldBefore = known?.told ? known.told[member] : here
  const told = now[member]
  const isOurs = here !== toldBefore
  if (told === undefined || (told === null && isOurs)) return { value: here, told: toldBefore }
  const text = plainText(told, maxLengths[member])?.trim() || null
  return { value: known && text === toldBefore ? here : text, told: text }
}

function mergeNotes(told: string | null | undefined, known: KnownGuest | null) {
  const { notes = null, pms_notes: notesOfPms = null } = known?.here ?? {}
  if (told === undefined) return { notes, pms_notes: notesOfPms }
  const text = plainText(told, maxNotesLength)
  // The release before this one kept the notes of the PMS among ours.
  const isOfPms = known?.told === null && notes === text
  return { notes: isOfPms ? null : notes, pms_notes: text }
}

/** As it came, but for what no text can hold here. */
const plainText = (text: string | null, maxLength: number): string | null =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed().slice(0, maxLength).toWellFormed()

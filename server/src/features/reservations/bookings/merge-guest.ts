import type { Booking } from './booking.ts'
import type { PmsGuest } from './queries.ts'

type GuestMembers = Pick<Booking, 'guestName' | 'guestEmail' | 'guestPhone' | 'notes' | 'pms_notes'>

/** The guest as the PMS sends it: undefined means "not sent, keep", null means "empty". */
export interface IncomingGuest {
  readonly guestName?: string | null | undefined
  readonly guestEmail?: string | null | undefined
  readonly guestPhone?: string | null | undefined
  readonly notes?: string | null | undefined
}

/** The stored booking, and the guest as the PMS sent it last; null when that was not recorded. */
interface StoredGuest {
  readonly booking: GuestMembers
  readonly pmsGuest: PmsGuest | null
}

const maxLengths = { guestName: 255, guestEmail: 254, guestPhone: 64 } as const
const maxNotesLength = 10_000

/**
 * Merges the guest that a PMS sends into the stored one. A member that the PMS has not changed since the last time
 * keeps the local value, and an empty value from the PMS does not overwrite a local change. The notes of the PMS are
 * kept in `pms_notes`; `notes` belongs to the users.
 */
export function mergeGuest(
  incomingGuest: IncomingGuest,
  storedGuest: StoredGuest | null,
): GuestMembers & { readonly pmsGuest: PmsGuest } {
  const name = mergeMember('guestName', incomingGuest, storedGuest)
  const email = mergeMember('guestEmail', incomingGuest, storedGuest)
  const phone = mergeMember('guestPhone', incomingGuest, storedGuest)
  return {
    guestName: name.value ?? storedGuest?.booking.guestName ?? 'Guest',
    guestEmail: email.value,
    guestPhone: phone.value,
    ...mergeNotes(incomingGuest.notes, storedGuest),
    pmsGuest: { guestName: name.fromPms, guestEmail: email.fromPms, guestPhone: phone.fromPms },
  }
}

function mergeMember(member: keyof PmsGuest, incomingGuest: IncomingGuest, storedGuest: StoredGuest | null) {
  const stored = storedGuest?.booking[member] ?? null
  const previous = storedGuest?.pmsGuest ? storedGuest.pmsGuest[member] : stored
  const incoming = incomingGuest[member]
  const isLocalChange = stored !== previous
  if (incoming === undefined || (incoming === null && isLocalChange))
    return { value: stored, fromPms: previous }
  const text = plainText(incoming, maxLengths[member])?.trim() || null
  return { value: storedGuest && text === previous ? stored : text, fromPms: text }
}

function mergeNotes(incoming: string | null | undefined, storedGuest: StoredGuest | null) {
  const { notes = null, pms_notes: pmsNotes = null } = storedGuest?.booking ?? {}
  if (incoming === undefined) return { notes, pms_notes: pmsNotes }
  const text = plainText(incoming, maxNotesLength)
  // An earlier release stored the notes of the PMS in `notes`.
  const isFromPms = storedGuest?.pmsGuest === null && notes === text
  return { notes: isFromPms ? null : notes, pms_notes: text }
}

/** The text without what PostgreSQL cannot store, cut to the maximum length. */
const plainText = (text: string | null, maxLength: number): string | null =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed().slice(0, maxLength).toWellFormed()

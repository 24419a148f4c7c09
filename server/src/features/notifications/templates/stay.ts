import type { Language, Say } from '../locale.ts'
import type { BookingStory } from '../stories.ts'

interface Labels {
  readonly unit: string
  readonly address: string
  readonly guest: string
  readonly checkIn: string
  readonly checkOut: string
  readonly nights: string
  readonly guests: string
  readonly total: string
  readonly reference: string
}

const labels: Record<Language, Labels> = {
  en: {
    unit: 'Accommodation',
    address: 'Address',
    guest: 'Guest',
    checkIn: 'Arrival',
    checkOut: 'Departure',
    nights: 'Nights',
    guests: 'Guests',
    total: 'Total',
    reference: 'Booking',
  },
  de: {
    unit: 'Unterkunft',
    address: 'Adresse',
    guest: 'Gast',
    checkIn: 'Anreise',
    checkOut: 'Abreise',
    nights: 'Nächte',
    guests: 'Gäste',
    total: 'Gesamtpreis',
    reference: 'Buchung',
  },
  fr: {
    unit: 'Hébergement',
    address: 'Adresse',
    guest: 'Client',
    checkIn: 'Arrivée',
    checkOut: 'Départ',
    nights: 'Nuits',
    guests: 'Voyageurs',
    total: 'Total',
    reference: 'Réservation',
  },
  es: {
    unit: 'Alojamiento',
    address: 'Dirección',
    guest: 'Huésped',
    checkIn: 'Llegada',
    checkOut: 'Salida',
    nights: 'Noches',
    guests: 'Huéspedes',
    total: 'Total',
    reference: 'Reserva',
  },
  pt: {
    unit: 'Alojamento',
    address: 'Morada',
    guest: 'Hóspede',
    checkIn: 'Chegada',
    checkOut: 'Partida',
    nights: 'Noites',
    guests: 'Hóspedes',
    total: 'Total',
    reference: 'Reserva',
  },
}

/** The stay, line by line. A guest knows who they are. */
export function stayFacts(
  language: Language,
  story: BookingStory,
  say: Say,
  reader: 'guest' | 'operator',
): (readonly [string, string])[] {
  const label = labels[language]
  return [
    ...(reader === 'operator' ? [[label.guest, story.guestName] as const] : []),
    [label.unit, placeOf(story)],
    ...(story.address ? [[label.address, story.address] as const] : []),
    [label.checkIn, say.day(story.checkIn)],
    [label.checkOut, say.day(story.checkOut)],
    [label.nights, String(say.nights(story.checkIn, story.checkOut))],
    [label.guests, String(story.guests)],
    ...(story.totalCents === null
      ? []
      : [[label.total, say.money(story.totalCents, story.currency)] as const]),
    [label.reference, referenceOf(story.bookingId)],
  ]
}

export const placeOf = ({ unitName, spaceName }: Pick<BookingStory, 'unitName' | 'spaceName'>) =>
  unitName === spaceName ? unitName : `${unitName}, ${spaceName}`

/** Short enough to be read out on the telephone. */
export const referenceOf = (bookingId: string) => bookingId.slice(0, 8).toUpperCase()

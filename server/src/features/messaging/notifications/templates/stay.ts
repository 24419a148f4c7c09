import type { Language } from '#schema/language.ts'
import type { BookingData, ListFacts } from '../template.ts'

interface Labels {
  readonly unit: string
  readonly address: string
  readonly guest: string
  readonly checkIn: string
  readonly checkOut: string
  readonly nights: string
  readonly guests: string
  readonly rooms: string
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
    rooms: 'Rooms',
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
    rooms: 'Zimmer',
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
    rooms: 'Chambres',
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
    rooms: 'Habitaciones',
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
    rooms: 'Quartos',
    total: 'Total',
    reference: 'Reserva',
  },
}

/** The stay, line by line. The name of the guest is left out in messages to the guest. */
export const stayFacts =
  (reader: 'guest' | 'operator'): ListFacts<BookingData> =>
  (language, data, format) => {
    const label = labels[language]
    return [
      ...(reader === 'operator' ? [[label.guest, data.guestName] as const] : []),
      [label.unit, unitAndSpace(data)],
      ...(data.address ? [[label.address, data.address] as const] : []),
      [label.checkIn, format.day(data.checkIn)],
      [label.checkOut, format.day(data.checkOut)],
      [label.nights, String(format.nights(data.checkIn, data.checkOut))],
      [label.guests, String(data.guests)],
      ...(data.rooms > 1 ? [[label.rooms, String(data.rooms)] as const] : []),
      ...(data.totalCents === null
        ? []
        : [[label.total, format.money(data.totalCents, data.currency)] as const]),
      [label.reference, bookingReference(data.bookingId)],
    ]
  }

export const unitAndSpace = ({ unitName, spaceName }: Pick<BookingData, 'unitName' | 'spaceName'>) =>
  unitName === spaceName ? unitName : `${unitName}, ${spaceName}`

/** Short enough to be read out on the phone. */
export const bookingReference = (bookingId: string) => bookingId.slice(0, 8).toUpperCase()

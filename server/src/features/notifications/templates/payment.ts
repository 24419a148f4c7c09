import type { Language, Say } from '../locale.ts'
import type { PaymentStory } from '../stories.ts'
import { referenceOf } from './stay.ts'

const labels: Record<Language, readonly [amount: string, guest: string, unit: string, booking: string]> = {
  en: ['Amount', 'Guest', 'Accommodation', 'Booking'],
  de: ['Betrag', 'Gast', 'Unterkunft', 'Buchung'],
  fr: ['Montant', 'Client', 'Hébergement', 'Réservation'],
  es: ['Importe', 'Huésped', 'Alojamiento', 'Reserva'],
  pt: ['Valor', 'Hóspede', 'Alojamento', 'Reserva'],
}

/** The payment, line by line, as far as it is known. */
export function paymentFacts(
  language: Language,
  story: PaymentStory,
  say: Say,
): (readonly [string, string])[] {
  const [amount, guest, unit, booking] = labels[language]
  return [
    [amount, say.money(story.amountCents, story.currency)],
    ...(story.guestName ? [[guest, story.guestName] as const] : []),
    ...(story.unitName ? [[unit, story.unitName] as const] : []),
    ...(story.bookingId ? [[booking, referenceOf(story.bookingId)] as const] : []),
  ]
}

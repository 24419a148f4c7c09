import type { LocaleFormat } from '../locale-format.ts'
import type { Language } from '#schema/language.ts'
import type { Fact, PaymentData } from '../template.ts'
import { bookingReference } from './stay.ts'

const labels: Record<Language, readonly [amount: string, guest: string, unit: string, booking: string]> = {
  en: ['Amount', 'Guest', 'Accommodation', 'Booking'],
  de: ['Betrag', 'Gast', 'Unterkunft', 'Buchung'],
  fr: ['Montant', 'Client', 'Hébergement', 'Réservation'],
  es: ['Importe', 'Huésped', 'Alojamiento', 'Reserva'],
  pt: ['Valor', 'Hóspede', 'Alojamento', 'Reserva'],
}

/** The payment, line by line, as far as it is known. */
export function paymentFacts(language: Language, data: PaymentData, format: LocaleFormat): readonly Fact[] {
  const [amount, guest, unit, booking] = labels[language]
  return [
    [amount, format.money(data.amountCents, data.currency)],
    ...(data.guestName ? [[guest, data.guestName] as const] : []),
    ...(data.unitName ? [[unit, data.unitName] as const] : []),
    ...(data.bookingId ? [[booking, bookingReference(data.bookingId)] as const] : []),
  ]
}

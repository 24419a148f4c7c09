import { alertTemplate } from './alert.ts'

export const syncFailed = alertTemplate({
  en: [
    'A listing is not up to date',
    'Changes did not reach the booking system. Until they do, guests may see wrong prices or book nights that are no longer available.',
  ],
  de: [
    'Ein Inserat ist nicht aktuell',
    'Änderungen haben das Buchungssystem nicht erreicht. Bis dahin sehen Gäste vielleicht falsche Preise oder buchen belegte Nächte.',
  ],
  fr: [
    'Une annonce n’est pas à jour',
    'Des modifications ne sont pas parvenues au système de réservation. D’ici là, des clients peuvent voir de mauvais prix ou réserver des nuits déjà prises.',
  ],
  es: [
    'Un anuncio no está al día',
    'Hay cambios que no han llegado al sistema de reservas. Hasta entonces, los huéspedes pueden ver precios erróneos o reservar noches ya ocupadas.',
  ],
  pt: [
    'Um anúncio não está atualizado',
    'Há alterações que não chegaram ao sistema de reservas. Enquanto não chegarem, os hóspedes podem ver preços errados ou reservar noites já ocupadas.',
  ],
})

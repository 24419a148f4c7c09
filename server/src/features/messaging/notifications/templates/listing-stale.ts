import { alertTemplate } from './alert.ts'

export const listingStale = alertTemplate({
  en: [
    'A listing is out of date',
    'The booking system has not accepted changes for longer than you allow. It may sell nights that are no longer available.',
  ],
  de: [
    'Ein Inserat ist im Rückstand',
    'Das Buchungssystem hat länger keine Änderungen übernommen, als Sie erlauben. Es können Buchungen für belegte Nächte eingehen.',
  ],
  fr: [
    'Une annonce a pris du retard',
    'Le système de réservation n’a pas repris de modifications depuis plus longtemps que vous ne l’autorisez. Des réservations peuvent arriver pour des nuits déjà prises.',
  ],
  es: [
    'Un anuncio se ha retrasado',
    'El sistema de reservas lleva más tiempo del permitido sin aceptar cambios. Pueden llegar reservas para noches ya ocupadas.',
  ],
  pt: [
    'Um anúncio está em atraso',
    'O sistema de reservas não aceita alterações há mais tempo do que o permitido. Podem chegar reservas para noites já ocupadas.',
  ],
})

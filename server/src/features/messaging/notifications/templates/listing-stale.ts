import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const listingStale: Template<AlertData> = {
  tone: 'bad',
  texts: {
    en: (data, format) => ({
      subject: `A listing is out of date: ${alertSubject(data)}`,
      heading: 'A listing is out of date',
      paragraphs: [
        'The booking system has not accepted changes for longer than you allow. It may sell nights that are no longer available.',
      ],
      facts: alertFacts('en', data, format),
      short: `A listing is out of date: ${alertSubject(data)}. ${data.message}`,
    }),
    de: (data, format) => ({
      subject: `Ein Inserat ist im Rückstand: ${alertSubject(data)}`,
      heading: 'Ein Inserat ist im Rückstand',
      paragraphs: [
        'Das Buchungssystem hat länger keine Änderungen übernommen, als Sie erlauben. Es können Buchungen für belegte Nächte eingehen.',
      ],
      facts: alertFacts('de', data, format),
      short: `Ein Inserat ist im Rückstand: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data, format) => ({
      subject: `Une annonce a pris du retard : ${alertSubject(data)}`,
      heading: 'Une annonce a pris du retard',
      paragraphs: [
        'Le système de réservation n’a pas repris de modifications depuis plus longtemps que vous ne l’autorisez. Des réservations peuvent arriver pour des nuits déjà prises.',
      ],
      facts: alertFacts('fr', data, format),
      short: `Une annonce a pris du retard : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data, format) => ({
      subject: `Un anuncio se ha retrasado: ${alertSubject(data)}`,
      heading: 'Un anuncio se ha retrasado',
      paragraphs: [
        'El sistema de reservas lleva más tiempo del permitido sin aceptar cambios. Pueden llegar reservas para noches ya ocupadas.',
      ],
      facts: alertFacts('es', data, format),
      short: `Un anuncio se ha retrasado: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data, format) => ({
      subject: `Um anúncio está em atraso: ${alertSubject(data)}`,
      heading: 'Um anúncio está em atraso',
      paragraphs: [
        'O sistema de reservas não aceita alterações há mais tempo do que o permitido. Podem chegar reservas para noites já ocupadas.',
      ],
      facts: alertFacts('pt', data, format),
      short: `Um anúncio está em atraso: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}

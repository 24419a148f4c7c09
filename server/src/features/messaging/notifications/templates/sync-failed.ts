import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const syncFailed: Template<AlertData> = {
  tone: 'bad',
  texts: {
    en: (data, format) => ({
      subject: `A listing is not up to date: ${alertSubject(data)}`,
      heading: 'A listing is not up to date',
      paragraphs: [
        'Changes did not reach the booking system. Until they do, guests may see wrong prices or book nights that are no longer available.',
      ],
      facts: alertFacts('en', data, format),
      short: `A listing is not up to date: ${alertSubject(data)}. ${data.message}`,
    }),
    de: (data, format) => ({
      subject: `Ein Inserat ist nicht aktuell: ${alertSubject(data)}`,
      heading: 'Ein Inserat ist nicht aktuell',
      paragraphs: [
        'Änderungen haben das Buchungssystem nicht erreicht. Bis dahin sehen Gäste vielleicht falsche Preise oder buchen belegte Nächte.',
      ],
      facts: alertFacts('de', data, format),
      short: `Ein Inserat ist nicht aktuell: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data, format) => ({
      subject: `Une annonce n’est pas à jour : ${alertSubject(data)}`,
      heading: 'Une annonce n’est pas à jour',
      paragraphs: [
        'Des modifications ne sont pas parvenues au système de réservation. D’ici là, des clients peuvent voir de mauvais prix ou réserver des nuits déjà prises.',
      ],
      facts: alertFacts('fr', data, format),
      short: `Une annonce n’est pas à jour : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data, format) => ({
      subject: `Un anuncio no está al día: ${alertSubject(data)}`,
      heading: 'Un anuncio no está al día',
      paragraphs: [
        'Hay cambios que no han llegado al sistema de reservas. Hasta entonces, los huéspedes pueden ver precios erróneos o reservar noches ya ocupadas.',
      ],
      facts: alertFacts('es', data, format),
      short: `Un anuncio no está al día: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data, format) => ({
      subject: `Um anúncio não está atualizado: ${alertSubject(data)}`,
      heading: 'Um anúncio não está atualizado',
      paragraphs: [
        'Há alterações que não chegaram ao sistema de reservas. Enquanto não chegarem, os hóspedes podem ver preços errados ou reservar noites já ocupadas.',
      ],
      facts: alertFacts('pt', data, format),
      short: `Um anúncio não está atualizado: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}

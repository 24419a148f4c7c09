import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const syncFailed: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A listing is not up to date: ${aboutOf(story)}`,
      heading: 'A listing is not up to date',
      paragraphs: [
        'Changes did not reach the booking system. Until they do, guests may see wrong prices or book nights that are taken.',
      ],
      facts: alertFacts('en', story, say),
      short: `A listing is not up to date: ${aboutOf(story)}. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Ein Inserat ist nicht aktuell: ${aboutOf(story)}`,
      heading: 'Ein Inserat ist nicht aktuell',
      paragraphs: [
        'Änderungen haben das Buchungssystem nicht erreicht. Bis dahin sehen Gäste vielleicht falsche Preise oder buchen belegte Nächte.',
      ],
      facts: alertFacts('de', story, say),
      short: `Ein Inserat ist nicht aktuell: ${aboutOf(story)}. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Une annonce n’est pas à jour : ${aboutOf(story)}`,
      heading: 'Une annonce n’est pas à jour',
      paragraphs: [
        'Des modifications ne sont pas parvenues au système de réservation. D’ici là, des clients peuvent voir de mauvais prix ou réserver des nuits déjà prises.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Une annonce n’est pas à jour : ${aboutOf(story)}. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Un anuncio no está al día: ${aboutOf(story)}`,
      heading: 'Un anuncio no está al día',
      paragraphs: [
        'Hay cambios que no han llegado al sistema de reservas. Hasta entonces, los huéspedes pueden ver precios erróneos o reservar noches ya ocupadas.',
      ],
      facts: alertFacts('es', story, say),
      short: `Un anuncio no está al día: ${aboutOf(story)}. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Um anúncio não está atualizado: ${aboutOf(story)}`,
      heading: 'Um anúncio não está atualizado',
      paragraphs: [
        'Há alterações que não chegaram ao sistema de reservas. Enquanto não chegarem, os hóspedes podem ver preços errados ou reservar noites já ocupadas.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Um anúncio não está atualizado: ${aboutOf(story)}. ${story.message}`,
    }),
  },
}

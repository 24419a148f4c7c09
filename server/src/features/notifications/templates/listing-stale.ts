import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const listingStale: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A listing has fallen behind: ${aboutOf(story)}`,
      heading: 'A listing has fallen behind',
      paragraphs: [
        'The booking system has not taken changes for longer than you allow. Bookings may come in for nights that are taken.',
      ],
      facts: alertFacts('en', story, say),
      short: `A listing has fallen behind: ${aboutOf(story)}. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Ein Inserat ist im Rückstand: ${aboutOf(story)}`,
      heading: 'Ein Inserat ist im Rückstand',
      paragraphs: [
        'Das Buchungssystem hat länger keine Änderungen übernommen, als Sie erlauben. Es können Buchungen für belegte Nächte eingehen.',
      ],
      facts: alertFacts('de', story, say),
      short: `Ein Inserat ist im Rückstand: ${aboutOf(story)}. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Une annonce a pris du retard : ${aboutOf(story)}`,
      heading: 'Une annonce a pris du retard',
      paragraphs: [
        'Le système de réservation n’a pas repris de modifications depuis plus longtemps que vous ne l’autorisez. Des réservations peuvent arriver pour des nuits déjà prises.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Une annonce a pris du retard : ${aboutOf(story)}. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Un anuncio se ha retrasado: ${aboutOf(story)}`,
      heading: 'Un anuncio se ha retrasado',
      paragraphs: [
        'El sistema de reservas lleva más tiempo del permitido sin aceptar cambios. Pueden llegar reservas para noches ya ocupadas.',
      ],
      facts: alertFacts('es', story, say),
      short: `Un anuncio se ha retrasado: ${aboutOf(story)}. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Um anúncio está em atraso: ${aboutOf(story)}`,
      heading: 'Um anúncio está em atraso',
      paragraphs: [
        'O sistema de reservas não aceita alterações há mais tempo do que o permitido. Podem chegar reservas para noites já ocupadas.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Um anúncio está em atraso: ${aboutOf(story)}. ${story.message}`,
    }),
  },
}

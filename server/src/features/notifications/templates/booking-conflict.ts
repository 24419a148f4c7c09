import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const bookingConflict: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A booking does not fit: ${aboutOf(story)}`,
      heading: 'A booking does not fit',
      paragraphs: [
        'A booking came in for nights that are not free, or for a unit that is not known. Nobody was turned away for it: a person has to decide.',
      ],
      facts: alertFacts('en', story, say),
      short: `A booking does not fit: ${aboutOf(story)}. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Eine Buchung passt nicht: ${aboutOf(story)}`,
      heading: 'Eine Buchung passt nicht',
      paragraphs: [
        'Es kam eine Buchung für Nächte herein, die nicht frei sind, oder für eine unbekannte Unterkunft. Niemandem wurde deshalb abgesagt: Ein Mensch muss entscheiden.',
      ],
      facts: alertFacts('de', story, say),
      short: `Eine Buchung passt nicht: ${aboutOf(story)}. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Une réservation ne convient pas : ${aboutOf(story)}`,
      heading: 'Une réservation ne convient pas',
      paragraphs: [
        'Une réservation est arrivée pour des nuits qui ne sont pas libres ou pour un hébergement inconnu. Personne n’a été décommandé pour autant : quelqu’un doit décider.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Une réservation ne convient pas : ${aboutOf(story)}. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Una reserva no encaja: ${aboutOf(story)}`,
      heading: 'Una reserva no encaja',
      paragraphs: [
        'Ha llegado una reserva para noches que no están libres o para un alojamiento desconocido. No se ha cancelado a nadie por ello: alguien tiene que decidir.',
      ],
      facts: alertFacts('es', story, say),
      short: `Una reserva no encaja: ${aboutOf(story)}. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Há uma reserva em conflito: ${aboutOf(story)}`,
      heading: 'Há uma reserva em conflito',
      paragraphs: [
        'Chegou uma reserva para noites que não estão livres ou para um alojamento desconhecido. Ninguém foi cancelado por isso: alguém tem de decidir.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Há uma reserva em conflito: ${aboutOf(story)}. ${story.message}`,
    }),
  },
}

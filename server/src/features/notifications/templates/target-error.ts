import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const targetError: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A connection does not work: ${aboutOf(story)}`,
      heading: 'A connection does not work',
      paragraphs: [
        'Nothing can be sent to the booking system at present. What changes meanwhile waits, and goes out when the connection works again.',
      ],
      facts: alertFacts('en', story, say),
      short: `A connection does not work: ${aboutOf(story)}. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Eine Anbindung funktioniert nicht: ${aboutOf(story)}`,
      heading: 'Eine Anbindung funktioniert nicht',
      paragraphs: [
        'Zurzeit kann nichts an das Buchungssystem gesendet werden. Was sich inzwischen ändert, wartet und geht hinaus, sobald die Anbindung wieder arbeitet.',
      ],
      facts: alertFacts('de', story, say),
      short: `Eine Anbindung funktioniert nicht: ${aboutOf(story)}. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Une connexion ne fonctionne pas : ${aboutOf(story)}`,
      heading: 'Une connexion ne fonctionne pas',
      paragraphs: [
        'Rien ne peut être envoyé au système de réservation pour le moment. Les modifications attendent et partiront dès que la connexion fonctionnera.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Une connexion ne fonctionne pas : ${aboutOf(story)}. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Una conexión no funciona: ${aboutOf(story)}`,
      heading: 'Una conexión no funciona',
      paragraphs: [
        'Ahora mismo no se puede enviar nada al sistema de reservas. Los cambios esperan y saldrán cuando la conexión vuelva a funcionar.',
      ],
      facts: alertFacts('es', story, say),
      short: `Una conexión no funciona: ${aboutOf(story)}. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Uma ligação não funciona: ${aboutOf(story)}`,
      heading: 'Uma ligação não funciona',
      paragraphs: [
        'De momento, nada pode ser enviado para o sistema de reservas. As alterações ficam à espera e seguem assim que a ligação voltar a funcionar.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Uma ligação não funciona: ${aboutOf(story)}. ${story.message}`,
    }),
  },
}

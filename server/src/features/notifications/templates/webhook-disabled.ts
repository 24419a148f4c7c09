import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const webhookDisabled: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A webhook was switched off: ${aboutOf(story)}`,
      heading: 'A webhook was switched off',
      paragraphs: [
        'The partner behind it no longer hears of events. What happens meanwhile can be sent once it is switched on again.',
      ],
      facts: alertFacts('en', story, say),
      short: `A webhook was switched off. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Ein Webhook wurde abgeschaltet: ${aboutOf(story)}`,
      heading: 'Ein Webhook wurde abgeschaltet',
      paragraphs: [
        'Der Partner dahinter erfährt nichts mehr von Ereignissen. Was inzwischen geschieht, kann nachgesendet werden, sobald der Webhook wieder eingeschaltet ist.',
      ],
      facts: alertFacts('de', story, say),
      short: `Ein Webhook wurde abgeschaltet. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Un webhook a été désactivé : ${aboutOf(story)}`,
      heading: 'Un webhook a été désactivé',
      paragraphs: [
        'Le partenaire concerné n’est plus informé des événements. Ce qui se passe entre-temps pourra lui être envoyé une fois le webhook réactivé.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Un webhook a été désactivé. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Se ha desactivado un webhook: ${aboutOf(story)}`,
      heading: 'Se ha desactivado un webhook',
      paragraphs: [
        'El socio que lo usa ya no se entera de los eventos. Lo que ocurra entretanto se le podrá enviar cuando el webhook se vuelva a activar.',
      ],
      facts: alertFacts('es', story, say),
      short: `Se ha desactivado un webhook. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Um webhook foi desativado: ${aboutOf(story)}`,
      heading: 'Um webhook foi desativado',
      paragraphs: [
        'O parceiro que o utiliza deixou de ser informado dos eventos. O que acontecer entretanto poderá ser-lhe enviado quando o webhook for reativado.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Um webhook foi desativado. ${story.message}`,
    }),
  },
}

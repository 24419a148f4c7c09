import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const webhookDisabled: Template<AlertData> = {
  tone: 'bad',
  facts: alertFacts,
  texts: {
    en: (data) => ({
      subject: `A webhook endpoint was disabled: ${alertSubject(data)}`,
      heading: 'A webhook endpoint was disabled',
      paragraphs: [
        'The partner no longer receives events. Missed events can be sent once the endpoint is active again.',
      ],
      short: `A webhook endpoint was disabled. ${data.message}`,
    }),
    de: (data) => ({
      subject: `Ein Webhook wurde abgeschaltet: ${alertSubject(data)}`,
      heading: 'Ein Webhook wurde abgeschaltet',
      paragraphs: [
        'Der Partner dahinter erfährt nichts mehr von Ereignissen. Was inzwischen geschieht, kann nachgesendet werden, sobald der Webhook wieder eingeschaltet ist.',
      ],
      short: `Ein Webhook wurde abgeschaltet. ${data.message}`,
    }),
    fr: (data) => ({
      subject: `Un webhook a été désactivé : ${alertSubject(data)}`,
      heading: 'Un webhook a été désactivé',
      paragraphs: [
        'Le partenaire concerné n’est plus informé des événements. Ce qui se passe entre-temps pourra lui être envoyé une fois le webhook réactivé.',
      ],
      short: `Un webhook a été désactivé. ${data.message}`,
    }),
    es: (data) => ({
      subject: `Se ha desactivado un webhook: ${alertSubject(data)}`,
      heading: 'Se ha desactivado un webhook',
      paragraphs: [
        'El socio que lo usa ya no se entera de los eventos. Lo que ocurra entretanto se le podrá enviar cuando el webhook se vuelva a activar.',
      ],
      short: `Se ha desactivado un webhook. ${data.message}`,
    }),
    pt: (data) => ({
      subject: `Um webhook foi desativado: ${alertSubject(data)}`,
      heading: 'Um webhook foi desativado',
      paragraphs: [
        'O parceiro que o utiliza deixou de ser informado dos eventos. O que acontecer entretanto poderá ser-lhe enviado quando o webhook for reativado.',
      ],
      short: `Um webhook foi desativado. ${data.message}`,
    }),
  },
}

import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const targetError: Template<AlertData> = {
  tone: 'bad',
  texts: {
    en: (data, format) => ({
      subject: `A connection is not working: ${alertSubject(data)}`,
      heading: 'A connection is not working',
      paragraphs: [
        'Nothing can be sent to the booking system at the moment. Changes are kept and sent when the connection works again.',
      ],
      facts: alertFacts('en', data, format),
      short: `A connection is not working: ${alertSubject(data)}. ${data.message}`,
    }),
    de: (data, format) => ({
      subject: `Eine Anbindung funktioniert nicht: ${alertSubject(data)}`,
      heading: 'Eine Anbindung funktioniert nicht',
      paragraphs: [
        'Zurzeit kann nichts an das Buchungssystem gesendet werden. Was sich inzwischen ändert, wartet und geht hinaus, sobald die Anbindung wieder arbeitet.',
      ],
      facts: alertFacts('de', data, format),
      short: `Eine Anbindung funktioniert nicht: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data, format) => ({
      subject: `Une connexion ne fonctionne pas : ${alertSubject(data)}`,
      heading: 'Une connexion ne fonctionne pas',
      paragraphs: [
        'Rien ne peut être envoyé au système de réservation pour le moment. Les modifications attendent et partiront dès que la connexion fonctionnera.',
      ],
      facts: alertFacts('fr', data, format),
      short: `Une connexion ne fonctionne pas : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data, format) => ({
      subject: `Una conexión no funciona: ${alertSubject(data)}`,
      heading: 'Una conexión no funciona',
      paragraphs: [
        'Ahora mismo no se puede enviar nada al sistema de reservas. Los cambios esperan y saldrán cuando la conexión vuelva a funcionar.',
      ],
      facts: alertFacts('es', data, format),
      short: `Una conexión no funciona: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data, format) => ({
      subject: `Uma ligação não funciona: ${alertSubject(data)}`,
      heading: 'Uma ligação não funciona',
      paragraphs: [
        'De momento, nada pode ser enviado para o sistema de reservas. As alterações ficam à espera e seguem assim que a ligação voltar a funcionar.',
      ],
      facts: alertFacts('pt', data, format),
      short: `Uma ligação não funciona: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}

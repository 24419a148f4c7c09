import { alertTemplate } from './alert.ts'

export const targetError = alertTemplate({
  en: [
    'A connection is not working',
    'Nothing can be sent to the booking system at the moment. Changes are kept and sent when the connection works again.',
  ],
  de: [
    'Eine Anbindung funktioniert nicht',
    'Zurzeit kann nichts an das Buchungssystem gesendet werden. Was sich inzwischen ändert, wartet und geht hinaus, sobald die Anbindung wieder arbeitet.',
  ],
  fr: [
    'Une connexion ne fonctionne pas',
    'Rien ne peut être envoyé au système de réservation pour le moment. Les modifications attendent et partiront dès que la connexion fonctionnera.',
  ],
  es: [
    'Una conexión no funciona',
    'Ahora mismo no se puede enviar nada al sistema de reservas. Los cambios esperan y saldrán cuando la conexión vuelva a funcionar.',
  ],
  pt: [
    'Uma ligação não funciona',
    'De momento, nada pode ser enviado para o sistema de reservas. As alterações ficam à espera e seguem assim que a ligação voltar a funcionar.',
  ],
})

import { defineMessages } from '../../i18n/messages.ts'

/** What helps when an import has stopped or waits. */
export const failureMessages = defineMessages({
  en: {
    settings: 'Check the credentials in the settings of the channel.',
    missing: 'Check in the settings of the channel which property or account it reads.',
    refused: 'The message below says what the PMS did not accept.',
    later: 'Try again in some minutes. If it lasts, ask the PMS whether there is an outage.',
    support: 'If it fails again, give the message below to support.',
    retrying: '{cause}. It is tried again by itself.',
  },
  de: {
    settings: 'Prüfen Sie die Zugangsdaten in den Einstellungen des Kanals.',
    missing: 'Prüfen Sie in den Einstellungen des Kanals, welche Unterkunft oder welches Konto er liest.',
    refused: 'Die Meldung unten sagt, was das PMS nicht angenommen hat.',
    later: 'Versuchen Sie es in einigen Minuten erneut. Hält es an, fragen Sie das PMS nach einer Störung.',
    support: 'Scheitert es wieder, geben Sie dem Support die Meldung unten.',
    retrying: '{cause}. Es wird von selbst erneut versucht.',
  },
  pt: {
    settings: 'Verifique as credenciais nas definições do canal.',
    missing: 'Verifique nas definições do canal que propriedade ou conta é lida.',
    refused: 'A mensagem abaixo diz o que o PMS não aceitou.',
    later: 'Tente novamente dentro de alguns minutos. Se persistir, pergunte ao PMS se há uma falha.',
    support: 'Se falhar de novo, envie a mensagem abaixo ao suporte.',
    retrying: '{cause}. É tentado de novo automaticamente.',
  },
})

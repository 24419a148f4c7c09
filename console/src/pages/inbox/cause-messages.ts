import { defineMessages } from '../../i18n/messages.ts'
import { syncErrorMessages } from '../../i18n/sync-error-messages.ts'

/** What each cause of a failing sync means, and what helps. */
export const causeMessages = defineMessages({
  en: {
    ...syncErrorMessages.en,
    auth_rejectedHint: 'Enter new credentials for the channel, then retry all.',
    mapping_not_foundHint:
      'The room was deleted or renumbered there. Unlink the listing, then link the unit to the right room.',
    validation_rejectedHint: 'Correct the value that the answer names, then retry all.',
    conflictHint: 'Retry all: the current state is sent again.',
    rate_limitedHint: 'Nothing to do: sending goes on by itself when calls are allowed again.',
    timeoutHint: 'It is tried again by itself. If it lasts, ask the PMS whether there is an outage.',
    networkHint: 'It is tried again by itself. If it lasts, check the address of the channel.',
    pms_unavailableHint: 'It is tried again by itself. If it lasts, ask the PMS whether there is an outage.',
    partial_rejectionHint: 'Correct the nights that the answer names, then retry all.',
    circuit_openHint: 'Sending goes on by itself as soon as the PMS answers.',
    internalHint: 'Retry all. If it fails again, give the answer below to support.',
    listings: '{count, plural, one {# listing} other {# listings}}',
    retrying: '{count, plural, one {# is tried again by itself} other {# are tried again by themselves}}',
    answer: 'The answer of the PMS',
    retryAll: '{count, plural, one {Retry} other {Retry all #}}',
    retryLabel: '{action}: {cause}',
    queued: '{count, plural, one {# listing is sent again} other {# listings are sent again}}',
    listed: 'Listings that fail',
    failed: 'Gave up',
    waiting: 'Tries again',
    lastTried: 'tried',
    'sync.failed': 'A message of the PMS could not be processed',
    'listing.stale': '{count, plural, one {A listing is out of date} other {# listings are out of date}}',
    'target.error': 'A channel has a problem',
    'drift.found':
      '{count, plural, one {The PMS shows something else than it accepted} other {The PMS shows something else than it accepted, for # listings}}',
    'booking.conflict': 'A booking does not fit',
    'calendar_feed.held': 'Many nights disappeared from an imported calendar',
    'calendar_feed.error': 'An imported calendar cannot be read',
    'payment.disputed': 'The bank of a guest disputes a payment',
    'payment.lost': 'A dispute was lost: the money is gone',
    'payment.won': 'A dispute was won, but a guest is owed a refund',
    'refund.failed': 'A guest did not receive a refund',
    'webhook.disabled': 'A webhook endpoint was switched off',
    'member.identity_conflict': 'Somebody signed in whose address belongs to another member',
    'sync.failedHint': 'Correct the cause, then process the message again in the settings.',
    'listing.staleHint': 'Look at the listing: its changes wait longer than the channel allows.',
    'target.errorHint': 'Open the channel and look at its health and its credentials.',
    'drift.foundHint':
      'Somebody may have changed it there. It is sent again by itself; look at the listing if it comes back.',
    'booking.conflictHint': 'Look at the booking conflicts.',
    'calendar_feed.errorHint':
      'Check its address on the page of the unit. Until then, reservations that are made there do not block nights here.',
    'calendar_feed.heldHint':
      'If the nights are really free, free them. Otherwise keep them blocked. Without a decision they become free after three equal readings.',
    'payment.disputedHint':
      'Respond at the payment provider in time: without a response the money is lost. What the bank has taken counts as not paid.',
    'payment.lostHint':
      'The booking counts it as not paid. Ask the guest for it in another way. This closes after 30 days.',
    'payment.wonHint':
      'The stay was cancelled while the bank decided, and nothing was refunded. Refund the payment on the page of the booking by your cancellation policy. The refund closes this, else it closes after 30 days.',
    'refund.failedHint':
      'Refund the payment again on the page of the booking, or pay the guest in another way. A later refund closes this, else it closes after 30 days.',
    'webhook.disabledHint':
      'The receiver failed for days. Repair it, then switch the endpoint on again in the settings.',
    'member.identity_conflictHint': 'Ask the member whether this was them. If not, remove the member.',
    freeNights: 'Free the nights',
    keepNights: 'Keep them blocked',
    decided: 'Decided: {feed}',
  },
  de: {
    ...syncErrorMessages.de,
    auth_rejectedHint: 'Geben Sie neue Zugangsdaten für den Kanal ein und versuchen Sie dann alle erneut.',
    mapping_not_foundHint:
      'Das Zimmer wurde dort gelöscht oder umbenannt. Lösen Sie die Verknüpfung des Inserats und verknüpfen Sie die Einheit mit dem richtigen Zimmer.',
    validation_rejectedHint:
      'Berichtigen Sie den Wert, den die Antwort nennt, und versuchen Sie dann alle erneut.',
    conflictHint: 'Versuchen Sie alle erneut: Der jetzige Stand wird noch einmal gesendet.',
    rate_limitedHint: 'Nichts zu tun: Es geht von selbst weiter, sobald Aufrufe wieder erlaubt sind.',
    timeoutHint: 'Es wird von selbst erneut versucht. Hält es an, fragen Sie das PMS nach einer Störung.',
    networkHint: 'Es wird von selbst erneut versucht. Hält es an, prüfen Sie die Adresse des Kanals.',
    pms_unavailableHint:
      'Es wird von selbst erneut versucht. Hält es an, fragen Sie das PMS nach einer Störung.',
    partial_rejectionHint:
      'Berichtigen Sie die Nächte, die die Antwort nennt, und versuchen Sie dann alle erneut.',
    circuit_openHint: 'Es geht von selbst weiter, sobald das PMS antwortet.',
    internalHint: 'Versuchen Sie alle erneut. Scheitert es wieder, geben Sie dem Support die Antwort unten.',
    listings: '{count, plural, one {# Inserat} other {# Inserate}}',
    retrying:
      '{count, plural, one {# wird von selbst erneut versucht} other {# werden von selbst erneut versucht}}',
    answer: 'Die Antwort des PMS',
    retryAll: '{count, plural, one {Erneut versuchen} other {Alle # erneut versuchen}}',
    retryLabel: '{action}: {cause}',
    queued: '{count, plural, one {# Inserat wird erneut gesendet} other {# Inserate werden erneut gesendet}}',
    listed: 'Fehlerhafte Inserate',
    failed: 'Aufgegeben',
    waiting: 'Versucht erneut',
    lastTried: 'versucht',
    'sync.failed': 'Eine Nachricht des PMS konnte nicht verarbeitet werden',
    'listing.stale': '{count, plural, one {Ein Inserat ist veraltet} other {# Inserate sind veraltet}}',
    'target.error': 'Ein Kanal hat ein Problem',
    'drift.found':
      '{count, plural, one {Das PMS zeigt etwas anderes, als es angenommen hat} other {Das PMS zeigt bei # Inseraten etwas anderes, als es angenommen hat}}',
    'booking.conflict': 'Eine Buchung passt nicht',
    'calendar_feed.held': 'Viele Nächte sind aus einem importierten Kalender verschwunden',
    'calendar_feed.error': 'Ein importierter Kalender ist nicht lesbar',
    'payment.disputed': 'Die Bank eines Gastes beanstandet eine Zahlung',
    'payment.lost': 'Eine Beanstandung ging verloren: Das Geld ist weg',
    'payment.won': 'Eine Beanstandung ist gewonnen, aber einem Gast steht eine Erstattung zu',
    'refund.failed': 'Ein Gast hat eine Erstattung nicht erhalten',
    'webhook.disabled': 'Ein Webhook-Endpunkt wurde abgeschaltet',
    'member.identity_conflict': 'Jemand hat sich mit der Adresse eines anderen Mitglieds angemeldet',
    'sync.failedHint':
      'Beheben Sie die Ursache und verarbeiten Sie die Nachricht in den Einstellungen erneut.',
    'listing.staleHint': 'Sehen Sie das Inserat an: Seine Änderungen warten länger, als der Kanal erlaubt.',
    'target.errorHint': 'Öffnen Sie den Kanal und prüfen Sie seinen Zustand und die Zugangsdaten.',
    'drift.foundHint':
      'Vielleicht hat es dort jemand geändert. Es wird von selbst erneut gesendet; sehen Sie das Inserat an, wenn es wiederkommt.',
    'booking.conflictHint': 'Sehen Sie die Buchungskonflikte an.',
    'calendar_feed.errorHint':
      'Prüfen Sie seine Adresse auf der Seite der Einheit. Bis dahin belegen Reservierungen von dort hier keine Nächte.',
    'calendar_feed.heldHint':
      'Sind die Nächte wirklich frei, geben Sie sie frei. Sonst lassen Sie sie gesperrt. Ohne Entscheidung werden sie nach drei gleichen Abrufen frei.',
    'payment.disputedHint':
      'Antworten Sie rechtzeitig beim Zahlungsanbieter: Ohne Antwort ist das Geld verloren. Was die Bank zurückgeholt hat, gilt als nicht bezahlt.',
    'payment.lostHint':
      'Bei der Buchung gilt es als nicht bezahlt. Fordern Sie es beim Gast auf anderem Weg ein. Dies schließt nach 30 Tagen.',
    'payment.wonHint':
      'Der Aufenthalt wurde storniert, während die Bank entschied, und nichts wurde erstattet. Erstatten Sie die Zahlung auf der Seite der Buchung nach Ihren Stornobedingungen. Die Erstattung schließt dies, sonst schließt es nach 30 Tagen.',
    'refund.failedHint':
      'Erstatten Sie die Zahlung auf der Seite der Buchung noch einmal, oder bezahlen Sie den Gast anders. Eine spätere Erstattung schließt dies, sonst schließt es nach 30 Tagen.',
    'webhook.disabledHint':
      'Der Empfänger war tagelang gestört. Reparieren Sie ihn und schalten Sie den Endpunkt in den Einstellungen wieder ein.',
    'member.identity_conflictHint':
      'Fragen Sie das Mitglied, ob es das war. Wenn nicht, entfernen Sie das Mitglied.',
    freeNights: 'Nächte freigeben',
    keepNights: 'Gesperrt lassen',
    decided: 'Entschieden: {feed}',
  },
  pt: {
    ...syncErrorMessages.pt,
    auth_rejectedHint: 'Introduza novas credenciais para o canal e depois repita tudo.',
    mapping_not_foundHint:
      'O quarto foi eliminado ou renumerado. Desassocie o anúncio e associe a unidade ao quarto certo.',
    validation_rejectedHint: 'Corrija o valor que a resposta indica e depois repita tudo.',
    conflictHint: 'Repita tudo: o estado atual é enviado de novo.',
    rate_limitedHint: 'Nada a fazer: o envio continua por si quando as chamadas voltarem a ser permitidas.',
    timeoutHint: 'É tentado de novo automaticamente. Se persistir, pergunte ao PMS se há uma avaria.',
    networkHint: 'É tentado de novo automaticamente. Se persistir, verifique o endereço do canal.',
    pms_unavailableHint: 'É tentado de novo automaticamente. Se persistir, pergunte ao PMS se há uma avaria.',
    partial_rejectionHint: 'Corrija as noites que a resposta indica e depois repita tudo.',
    circuit_openHint: 'O envio continua por si assim que o PMS responder.',
    internalHint: 'Repita tudo. Se falhar de novo, indique ao suporte a resposta abaixo.',
    listings: '{count, plural, one {# anúncio} other {# anúncios}}',
    retrying:
      '{count, plural, one {# é tentado de novo automaticamente} other {# são tentados de novo automaticamente}}',
    answer: 'A resposta do PMS',
    retryAll: '{count, plural, one {Repetir} other {Repetir os #}}',
    retryLabel: '{action}: {cause}',
    queued: '{count, plural, one {# anúncio é enviado de novo} other {# anúncios são enviados de novo}}',
    listed: 'Anúncios que falham',
    failed: 'Desistiu',
    waiting: 'Tenta de novo',
    lastTried: 'tentado',
    'sync.failed': 'Não foi possível processar uma mensagem do PMS',
    'listing.stale':
      '{count, plural, one {Um anúncio está desatualizado} other {# anúncios estão desatualizados}}',
    'target.error': 'Um canal tem um problema',
    'drift.found':
      '{count, plural, one {O PMS mostra algo diferente do que aceitou} other {O PMS mostra algo diferente do que aceitou, em # anúncios}}',
    'booking.conflict': 'Uma reserva não cabe',
    'calendar_feed.held': 'Muitas noites desapareceram de um calendário importado',
    'calendar_feed.error': 'Não é possível ler um calendário importado',
    'payment.disputed': 'O banco de um hóspede contesta um pagamento',
    'payment.lost': 'Uma contestação foi perdida: o dinheiro perdeu-se',
    'payment.won': 'Uma contestação foi ganha, mas falta um reembolso a um hóspede',
    'refund.failed': 'Um hóspede não recebeu um reembolso',
    'webhook.disabled': 'Um destino de webhooks foi desligado',
    'member.identity_conflict': 'Alguém entrou com o endereço de outro membro',
    'sync.failedHint': 'Corrija a causa e processe a mensagem de novo nas definições.',
    'listing.staleHint': 'Veja o anúncio: as alterações esperam mais tempo do que o canal permite.',
    'target.errorHint': 'Abra o canal e verifique o estado e as credenciais.',
    'drift.foundHint':
      'Alguém pode tê-lo alterado lá. É enviado de novo automaticamente; veja o anúncio se voltar a acontecer.',
    'booking.conflictHint': 'Veja os conflitos de reservas.',
    'calendar_feed.errorHint':
      'Verifique o endereço na página da unidade. Até lá, as reservas feitas nesse calendário não bloqueiam noites aqui.',
    'calendar_feed.heldHint':
      'Se as noites estiverem mesmo livres, liberte-as. Caso contrário, mantenha-as bloqueadas. Sem decisão, ficam livres após três leituras iguais.',
    'payment.disputedHint':
      'Responda a tempo no prestador de pagamentos: sem resposta, o dinheiro perde-se. O que o banco retirou conta como não pago.',
    'payment.lostHint':
      'Conta na reserva como não pago. Peça-o ao hóspede de outra forma. Isto encerra após 30 dias.',
    'payment.wonHint':
      'A estadia foi cancelada enquanto o banco decidia e nada foi reembolsado. Reembolse o pagamento na página da reserva de acordo com a sua política de cancelamento. O reembolso encerra isto; caso contrário, encerra após 30 dias.',
    'refund.failedHint':
      'Reembolse o pagamento de novo na página da reserva ou pague ao hóspede de outra forma. Um reembolso posterior encerra isto; caso contrário, encerra após 30 dias.',
    'webhook.disabledHint':
      'O destinatário falhou durante dias. Repare-o e volte a ligar o destino nas definições.',
    'member.identity_conflictHint': 'Pergunte ao membro se foi ele. Se não, remova o membro.',
    freeNights: 'Libertar as noites',
    keepNights: 'Manter bloqueadas',
    decided: 'Decidido: {feed}',
  },
})

import { defineMessages } from './messages.ts'

/** What each code of a failed sync means. */
export const syncErrorMessages = defineMessages({
  en: {
    auth_rejected: '{target} refuses our credentials',
    mapping_not_found: '{target} does not know the room',
    validation_rejected: '{target} refuses the values',
    conflict: '{target} has a newer state than ours',
    rate_limited: '{target} limits how often we may call',
    timeout: '{target} does not answer in time',
    network: '{target} cannot be reached',
    pms_unavailable: '{target} is out of service',
    partial_rejection: '{target} refuses some of the nights',
    circuit_open: '{target} failed too often, calls are paused',
    internal: 'An error on our side, at {target}',
  },
  de: {
    auth_rejected: '{target} lehnt unsere Zugangsdaten ab',
    mapping_not_found: '{target} kennt das Zimmer nicht',
    validation_rejected: '{target} lehnt die Werte ab',
    conflict: '{target} hat einen neueren Stand als wir',
    rate_limited: '{target} begrenzt die Zahl der Aufrufe',
    timeout: '{target} antwortet nicht rechtzeitig',
    network: '{target} ist nicht erreichbar',
    pms_unavailable: '{target} ist außer Betrieb',
    partial_rejection: '{target} lehnt einige Nächte ab',
    circuit_open: '{target} ist zu oft gescheitert, Aufrufe sind angehalten',
    internal: 'Ein Fehler auf unserer Seite, bei {target}',
  },
  pt: {
    auth_rejected: '{target} recusa as nossas credenciais',
    mapping_not_found: '{target} não conhece o quarto',
    validation_rejected: '{target} recusa os valores',
    conflict: '{target} tem um estado mais recente do que o nosso',
    rate_limited: '{target} limita o número de chamadas',
    timeout: '{target} não responde a tempo',
    network: 'Não é possível contactar {target}',
    pms_unavailable: '{target} está fora de serviço',
    partial_rejection: '{target} recusa algumas das noites',
    circuit_open: '{target} falhou demasiadas vezes, as chamadas estão em pausa',
    internal: 'Um erro do nosso lado, em {target}',
  },
})

import { defineMessages } from './messages.ts'

export const failureMessages = defineMessages({
  en: {
    unreachable: 'The service could not be reached. Try again in a moment.',
    offline: 'You are offline. Try again when you are connected.',
    rateLimited:
      'Too many requests at once. Try again in {seconds, plural, one {# second} other {# seconds}}.',
    unexpected: 'Something went wrong on our side. Try again, or give the request id to support.',
    requestId: 'Request id: {id}',
  },
  de: {
    unreachable: 'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    offline: 'Sie sind offline. Versuchen Sie es erneut, sobald Sie verbunden sind.',
    rateLimited:
      'Zu viele Anfragen auf einmal. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
    unexpected:
      'Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es erneut oder nennen Sie dem Support die Anfrage-ID.',
    requestId: 'Anfrage-ID: {id}',
  },
  pt: {
    unreachable: 'Não foi possível contactar o serviço. Tente novamente dentro de momentos.',
    offline: 'Está sem ligação. Tente novamente quando estiver ligado.',
    rateLimited:
      'Demasiados pedidos ao mesmo tempo. Tente novamente dentro de {seconds, plural, one {# segundo} other {# segundos}}.',
    unexpected:
      'Algo correu mal do nosso lado. Tente novamente ou indique o identificador do pedido ao suporte.',
    requestId: 'Identificador do pedido: {id}',
  },
})

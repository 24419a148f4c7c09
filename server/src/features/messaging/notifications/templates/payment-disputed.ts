import type { Language } from '#schema/language.ts'
import type { LocaleFormat } from '../locale-format.ts'
import type { DisputeData, ListFacts, MessageText, Template, WriteText } from '../template.ts'
import { paymentFacts } from './payment.ts'

interface Words {
  /** Of the subject; `{0}` is the amount. */
  readonly subjects: Readonly<Record<DisputeData['status'], string>>
  readonly paragraphs: Readonly<Record<DisputeData['status'], string>>
  /** Follows the paragraph while a response is expected. */
  readonly respond: string
  readonly reason: string
  readonly respondBy: string
}

const words: Record<Language, Words> = {
  en: {
    subjects: {
      inquiry: 'The bank of a guest asks about a payment of {0}',
      open: 'The bank of a guest disputes a payment of {0}',
      lost: 'A dispute about {0} is lost',
      won: 'A dispute about {0} is won, and a refund is owed',
    },
    paragraphs: {
      inquiry: 'The bank has not taken the money so far, but may do so.',
      open: 'The bank has taken the money back and decides who keeps it. Until then the booking counts it as not paid.',
      lost: 'The bank has decided for the guest: the money is gone, and the booking counts it as not paid. Ask the guest for it in another way.',
      won: 'The stay was cancelled while the bank decided, and nothing was refunded. Refund the payment by your cancellation policy.',
    },
    respond: 'Please respond at the payment provider in time. Without a response the money is lost.',
    reason: 'Reason',
    respondBy: 'Respond by',
  },
  de: {
    subjects: {
      inquiry: 'Die Bank eines Gastes fragt nach einer Zahlung über {0}',
      open: 'Die Bank eines Gastes beanstandet eine Zahlung über {0}',
      lost: 'Eine Beanstandung über {0} ist verloren',
      won: 'Eine Beanstandung über {0} ist gewonnen, und eine Erstattung steht aus',
    },
    paragraphs: {
      inquiry: 'Die Bank hat das Geld bisher nicht zurückgeholt, kann es aber tun.',
      open: 'Die Bank hat das Geld zurückgeholt und entscheidet, wer es behält. Bis dahin gilt es bei der Buchung als nicht bezahlt.',
      lost: 'Die Bank hat für den Gast entschieden: Das Geld ist weg und gilt bei der Buchung als nicht bezahlt. Fordern Sie es beim Gast auf anderem Weg ein.',
      won: 'Der Aufenthalt wurde storniert, während die Bank entschied, und nichts wurde erstattet. Erstatten Sie die Zahlung nach Ihren Stornobedingungen.',
    },
    respond: 'Bitte antworten Sie rechtzeitig beim Zahlungsanbieter. Ohne Antwort ist das Geld verloren.',
    reason: 'Grund',
    respondBy: 'Antworten bis',
  },
  fr: {
    subjects: {
      inquiry: 'La banque d’un client se renseigne sur un paiement de {0}',
      open: 'La banque d’un client conteste un paiement de {0}',
      lost: 'Un litige de {0} est perdu',
      won: 'Un litige de {0} est gagné, et un remboursement est dû',
    },
    paragraphs: {
      inquiry: 'La banque n’a pas encore repris l’argent, mais elle peut le faire.',
      open: 'La banque a repris l’argent et décide à qui il revient. D’ici là, il compte comme non payé pour la réservation.',
      lost: 'La banque a donné raison au client : l’argent est perdu et compte comme non payé pour la réservation. Demandez-le au client d’une autre façon.',
      won: 'Le séjour a été annulé pendant que la banque décidait, et rien n’a été remboursé. Remboursez le paiement selon vos conditions d’annulation.',
    },
    respond: 'Veuillez répondre à temps auprès du prestataire de paiement. Sans réponse, l’argent est perdu.',
    reason: 'Motif',
    respondBy: 'Répondre avant le',
  },
  es: {
    subjects: {
      inquiry: 'El banco de un huésped pregunta por un pago de {0}',
      open: 'El banco de un huésped disputa un pago de {0}',
      lost: 'Se ha perdido una disputa de {0}',
      won: 'Se ha ganado una disputa de {0} y se debe un reembolso',
    },
    paragraphs: {
      inquiry: 'El banco aún no ha retirado el dinero, pero puede hacerlo.',
      open: 'El banco ha retirado el dinero y decide quién se lo queda. Hasta entonces, en la reserva cuenta como no pagado.',
      lost: 'El banco ha dado la razón al huésped: el dinero se ha perdido y en la reserva cuenta como no pagado. Pídaselo al huésped de otra forma.',
      won: 'La estancia se canceló mientras el banco decidía y no se reembolsó nada. Reembolse el pago según sus condiciones de cancelación.',
    },
    respond: 'Responda a tiempo en el proveedor de pagos. Sin respuesta, el dinero se pierde.',
    reason: 'Motivo',
    respondBy: 'Responder antes del',
  },
  pt: {
    subjects: {
      inquiry: 'O banco de um hóspede pergunta por um pagamento de {0}',
      open: 'O banco de um hóspede contesta um pagamento de {0}',
      lost: 'Uma contestação de {0} foi perdida',
      won: 'Uma contestação de {0} foi ganha e falta um reembolso',
    },
    paragraphs: {
      inquiry: 'O banco ainda não retirou o dinheiro, mas pode fazê-lo.',
      open: 'O banco retirou o dinheiro e decide quem fica com ele. Até lá, conta na reserva como não pago.',
      lost: 'O banco deu razão ao hóspede: o dinheiro perdeu-se e conta na reserva como não pago. Peça-o ao hóspede de outra forma.',
      won: 'A estadia foi cancelada enquanto o banco decidia e nada foi reembolsado. Reembolse o pagamento de acordo com a sua política de cancelamento.',
    },
    respond: 'Responda a tempo no prestador de pagamentos. Sem resposta, o dinheiro perde-se.',
    reason: 'Motivo',
    respondBy: 'Responder até',
  },
}

const write =
  (language: Language): WriteText<DisputeData> =>
  (data: DisputeData, format: LocaleFormat): MessageText => {
    const { status, amountCents, currency, guestName } = data
    const { subjects, paragraphs, respond } = words[language]
    const subject = subjects[status].replace('{0}', () => format.money(amountCents, currency))
    const until = respondByFact(language, data, format)
    return {
      subject,
      heading: subject,
      paragraphs: [paragraphs[status], ...until.map(() => respond)],
      short: `${subject}${guestName ? ` (${guestName})` : ''}.${until.map((fact) => ` ${fact.join(': ')}.`).join('')}`,
    }
  }

const respondByFact: ListFacts<DisputeData> = (language, { respondBy }, format) =>
  respondBy ? [[words[language].respondBy, format.dateTime(respondBy)]] : []

/** The bank of a guest asks about a payment, has taken it back, or has decided. */
export const paymentDisputed: Template<DisputeData> = {
  tone: 'bad',
  facts: (language, data, format) => [
    ...paymentFacts(language, data, format),
    [words[language].reason, data.reason.replaceAll('_', ' ')],
    ...respondByFact(language, data, format),
  ],
  texts: { en: write('en'), de: write('de'), fr: write('fr'), es: write('es'), pt: write('pt') },
}

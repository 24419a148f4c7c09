import type { PaymentData, Template } from '../template.ts'
import { paymentFacts } from './payment.ts'

export const paymentFailed: Template<PaymentData> = {
  tone: 'bad',
  facts: paymentFacts,
  texts: {
    en: (data, format) => ({
      subject: `A payment of ${format.money(data.amountCents, data.currency)} has failed`,
      heading: 'A payment has failed',
      paragraphs: ['The guest was not charged. They can try again, or use another payment method.'],
      short: `A payment of ${format.money(data.amountCents, data.currency)} has failed${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    de: (data, format) => ({
      subject: `Eine Zahlung über ${format.money(data.amountCents, data.currency)} ist fehlgeschlagen`,
      heading: 'Eine Zahlung ist fehlgeschlagen',
      paragraphs: [
        'Das Geld wurde nicht eingezogen. Der Gast kann es erneut versuchen oder anders bezahlen.',
      ],
      short: `Eine Zahlung über ${format.money(data.amountCents, data.currency)} ist fehlgeschlagen${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    fr: (data, format) => ({
      subject: `Un paiement de ${format.money(data.amountCents, data.currency)} a échoué`,
      heading: 'Un paiement a échoué',
      paragraphs: ['L’argent n’a pas été prélevé. Le client peut réessayer ou payer autrement.'],
      short: `Un paiement de ${format.money(data.amountCents, data.currency)} a échoué${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    es: (data, format) => ({
      subject: `Un pago de ${format.money(data.amountCents, data.currency)} ha fallado`,
      heading: 'Un pago ha fallado',
      paragraphs: ['El dinero no se ha cobrado. El huésped puede volver a intentarlo o pagar de otra forma.'],
      short: `Un pago de ${format.money(data.amountCents, data.currency)} ha fallado${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    pt: (data, format) => ({
      subject: `Um pagamento de ${format.money(data.amountCents, data.currency)} falhou`,
      heading: 'Um pagamento falhou',
      paragraphs: ['O valor não foi cobrado. O hóspede pode tentar novamente ou pagar de outra forma.'],
      short: `Um pagamento de ${format.money(data.amountCents, data.currency)} falhou${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
  },
}

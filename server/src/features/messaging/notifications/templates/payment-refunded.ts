import type { PaymentData, Template } from '../template.ts'
import { paymentFacts } from './payment.ts'

export const paymentRefunded: Template<PaymentData> = {
  tone: 'plain',
  facts: paymentFacts,
  texts: {
    en: (data, format) => ({
      subject: `${format.money(data.amountCents, data.currency)} was refunded`,
      heading: 'A payment was refunded',
      paragraphs: ['The refund was sent. It can take a few days until the guest receives it.'],
      short: `${format.money(data.amountCents, data.currency)} was refunded${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    de: (data, format) => ({
      subject: `${format.money(data.amountCents, data.currency)} wurden erstattet`,
      heading: 'Eine Zahlung wurde erstattet',
      paragraphs: ['Das Geld ist auf dem Rückweg. Es kann einige Tage dauern, bis der Gast es sieht.'],
      short: `${format.money(data.amountCents, data.currency)} wurden erstattet${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    fr: (data, format) => ({
      subject: `${format.money(data.amountCents, data.currency)} ont été remboursés`,
      heading: 'Un paiement a été remboursé',
      paragraphs: [
        'L’argent est en route. Quelques jours peuvent passer avant que le client ne le voie sur son compte.',
      ],
      short: `${format.money(data.amountCents, data.currency)} ont été remboursés${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    es: (data, format) => ({
      subject: `Se han reembolsado ${format.money(data.amountCents, data.currency)}`,
      heading: 'Se ha reembolsado un pago',
      paragraphs: ['El dinero está de vuelta. El huésped puede tardar unos días en verlo.'],
      short: `Se han reembolsado ${format.money(data.amountCents, data.currency)}${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
    pt: (data, format) => ({
      subject: `Foi efetuado um reembolso de ${format.money(data.amountCents, data.currency)}`,
      heading: 'Um pagamento foi reembolsado',
      paragraphs: ['O valor está a ser devolvido. Pode demorar alguns dias até o hóspede o ver na conta.'],
      short: `Foi efetuado um reembolso de ${format.money(data.amountCents, data.currency)}${data.guestName ? ` (${data.guestName})` : ''}.`,
    }),
  },
}

import type { PaymentStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { paymentFacts } from './payment.ts'

export const paymentRefunded: Template<PaymentStory> = {
  tone: 'plain',
  words: {
    en: (story, say) => ({
      subject: `${say.money(story.amountCents, story.currency)} was refunded`,
      heading: 'A payment was refunded',
      paragraphs: ['The money is on its way back. It can take some days until the guest sees it.'],
      facts: paymentFacts('en', story, say),
      short: `${say.money(story.amountCents, story.currency)} was refunded${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    de: (story, say) => ({
      subject: `${say.money(story.amountCents, story.currency)} wurden erstattet`,
      heading: 'Eine Zahlung wurde erstattet',
      paragraphs: ['Das Geld ist auf dem Rückweg. Es kann einige Tage dauern, bis der Gast es sieht.'],
      facts: paymentFacts('de', story, say),
      short: `${say.money(story.amountCents, story.currency)} wurden erstattet${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    fr: (story, say) => ({
      subject: `${say.money(story.amountCents, story.currency)} ont été remboursés`,
      heading: 'Un paiement a été remboursé',
      paragraphs: [
        'L’argent est en route. Quelques jours peuvent passer avant que le client ne le voie sur son compte.',
      ],
      facts: paymentFacts('fr', story, say),
      short: `${say.money(story.amountCents, story.currency)} ont été remboursés${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    es: (story, say) => ({
      subject: `Se han reembolsado ${say.money(story.amountCents, story.currency)}`,
      heading: 'Se ha reembolsado un pago',
      paragraphs: ['El dinero está de vuelta. El huésped puede tardar unos días en verlo.'],
      facts: paymentFacts('es', story, say),
      short: `Se han reembolsado ${say.money(story.amountCents, story.currency)}${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    pt: (story, say) => ({
      subject: `Foi efetuado um reembolso de ${say.money(story.amountCents, story.currency)}`,
      heading: 'Um pagamento foi reembolsado',
      paragraphs: ['O valor está a ser devolvido. Pode demorar alguns dias até o hóspede o ver na conta.'],
      facts: paymentFacts('pt', story, say),
      short: `Foi efetuado um reembolso de ${say.money(story.amountCents, story.currency)}${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
  },
}

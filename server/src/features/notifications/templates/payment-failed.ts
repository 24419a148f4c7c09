import type { PaymentStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { paymentFacts } from './payment.ts'

export const paymentFailed: Template<PaymentStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `A payment of ${say.money(story.amountCents, story.currency)} has failed`,
      heading: 'A payment has failed',
      paragraphs: ['The money was not taken. The guest can try again, or pay in another way.'],
      facts: paymentFacts('en', story, say),
      short: `A payment of ${say.money(story.amountCents, story.currency)} has failed${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    de: (story, say) => ({
      subject: `Eine Zahlung über ${say.money(story.amountCents, story.currency)} ist fehlgeschlagen`,
      heading: 'Eine Zahlung ist fehlgeschlagen',
      paragraphs: [
        'Das Geld wurde nicht eingezogen. Der Gast kann es erneut versuchen oder anders bezahlen.',
      ],
      facts: paymentFacts('de', story, say),
      short: `Eine Zahlung über ${say.money(story.amountCents, story.currency)} ist fehlgeschlagen${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    fr: (story, say) => ({
      subject: `Un paiement de ${say.money(story.amountCents, story.currency)} a échoué`,
      heading: 'Un paiement a échoué',
      paragraphs: ['L’argent n’a pas été prélevé. Le client peut réessayer ou payer autrement.'],
      facts: paymentFacts('fr', story, say),
      short: `Un paiement de ${say.money(story.amountCents, story.currency)} a échoué${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    es: (story, say) => ({
      subject: `Un pago de ${say.money(story.amountCents, story.currency)} ha fallado`,
      heading: 'Un pago ha fallado',
      paragraphs: ['El dinero no se ha cobrado. El huésped puede volver a intentarlo o pagar de otra forma.'],
      facts: paymentFacts('es', story, say),
      short: `Un pago de ${say.money(story.amountCents, story.currency)} ha fallado${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
    pt: (story, say) => ({
      subject: `Um pagamento de ${say.money(story.amountCents, story.currency)} falhou`,
      heading: 'Um pagamento falhou',
      paragraphs: ['O valor não foi cobrado. O hóspede pode tentar novamente ou pagar de outra forma.'],
      facts: paymentFacts('pt', story, say),
      short: `Um pagamento de ${say.money(story.amountCents, story.currency)} falhou${story.guestName ? ` (${story.guestName})` : ''}.`,
    }),
  },
}

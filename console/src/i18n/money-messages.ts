import { defineMessages } from './messages.ts'

export const moneyMessages = defineMessages({
  en: {
    empty: 'Enter a price',
    negative: 'A price cannot be below zero',
    unreadable: 'Enter an amount like {example}',
    decimals:
      '{decimals, plural, =0 {{currency} has no decimals} one {{currency} has # decimal at most} other {{currency} has # decimals at most}}',
    tooHigh: 'The highest price is {max}',
  },
  de: {
    empty: 'Geben Sie einen Preis ein',
    negative: 'Ein Preis kann nicht unter null liegen',
    unreadable: 'Geben Sie einen Betrag wie {example} ein',
    decimals:
      '{decimals, plural, =0 {{currency} hat keine Nachkommastellen} one {{currency} hat höchstens # Nachkommastelle} other {{currency} hat höchstens # Nachkommastellen}}',
    tooHigh: 'Der höchste Preis ist {max}',
  },
  pt: {
    empty: 'Introduza um preço',
    negative: 'O preço não pode ser inferior a zero',
    unreadable: 'Introduza um valor como {example}',
    decimals:
      '{decimals, plural, =0 {{currency} não tem casas decimais} one {{currency} tem no máximo # casa decimal} other {{currency} tem no máximo # casas decimais}}',
    tooHigh: 'O preço máximo é {max}',
  },
})

import { defineMessages } from '../../i18n/messages.ts'

export const priceMessages = defineMessages({
  en: {
    night: '{count, plural, one {# night} other {# nights}}',
    room: '{count, plural, one {# room} other {# rooms}}',
    guest: '{count, plural, one {# guest} other {# guests}}',
    'further guest': '{count, plural, one {# further guest} other {# further guests}}',
    once: 'once',
    'each night at its own price': 'price of each night',
    'limited to the price of the nights': 'limited to the price of the nights',
    'contained in': 'contained in',
    of: 'of',
  },
  de: {
    night: '{count, plural, one {# Nacht} other {# Nächte}}',
    room: '{count, plural, one {# Zimmer} other {# Zimmer}}',
    guest: '{count, plural, one {# Gast} other {# Gäste}}',
    'further guest': '{count, plural, one {# weiterer Gast} other {# weitere Gäste}}',
    once: 'einmal',
    'each night at its own price': 'Preis jeder Nacht',
    'limited to the price of the nights': 'höchstens der Preis der Nächte',
    'contained in': 'enthalten in',
    of: 'von',
  },
  pt: {
    night: '{count, plural, one {# noite} other {# noites}}',
    room: '{count, plural, one {# quarto} other {# quartos}}',
    guest: '{count, plural, one {# hóspede} other {# hóspedes}}',
    'further guest': '{count, plural, one {# hóspede adicional} other {# hóspedes adicionais}}',
    once: 'uma vez',
    'each night at its own price': 'preço de cada noite',
    'limited to the price of the nights': 'até ao preço das noites',
    'contained in': 'incluído em',
    of: 'de',
  },
})

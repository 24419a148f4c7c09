import { languageOf, type Language } from '#schema/language.ts'
import { minorUnitDigits } from '#schema/money.ts'

/** Formats dates and money for a language. */
export interface LocaleFormat {
  /** A date. */
  day(day: string): string
  /** A point in time, in UTC. */
  dateTime(at: string): string
  money(cents: number, currency: string): string
  nights(from: string, to: string): number
}

export function openLocaleFormat(locale: string): LocaleFormat {
  const tag = languageTagOf(locale)
  const dayForm = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeZone: 'UTC' })
  const momentForm = new Intl.DateTimeFormat(tag, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return {
    day: (day) => dayForm.format(new Date(`${day}T00:00:00Z`)),
    dateTime: (at) => `${momentForm.format(new Date(at))} UTC`,
    money(cents, currency) {
      const digits = minorUnitDigits(currency)
      const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      return new Intl.NumberFormat(tag, { style: 'currency', currency, ...decimals }).format(
        cents / 10 ** digits,
      )
    },
    nights: (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000),
  }
}

/** A region decides the format of dates; English and Portuguese without one are formatted as in Europe. */
function languageTagOf(locale: string): string {
  const language = languageOf(locale)
  if (language !== locale.split('-')[0]!.toLowerCase()) return 'en-GB'
  try {
    const [tag] = Intl.getCanonicalLocales(locale)
    return tag === language ? defaultTagOf(language) : tag!
  } catch {
    return defaultTagOf(language)
  }
}

/** By default JavaScript formats English as in the United States and Portuguese as in Brazil. */
const defaultTagOf = (language: Language) =>
  language === 'en' ? 'en-GB' : language === 'pt' ? 'pt-PT' : language

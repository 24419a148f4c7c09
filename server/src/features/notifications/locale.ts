/** The languages that every message exists in. */
export const languages = ['en', 'de', 'fr', 'es', 'pt'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)

/** The language of a locale such as `de-AT`; English for one that we do not speak. */
export function languageOf(locale: string): Language {
  const language = locale.split('-')[0]!.toLowerCase()
  return isLanguage(language) ? language : 'en'
}

/** How a language writes days, numbers and money. */
export interface Say {
  /** A calendar day. */
  day(day: string): string
  /** A point in time, in UTC. */
  moment(at: string): string
  money(cents: number, currency: string): string
  nights(from: string, to: string): number
}

export function sayIn(locale: string): Say {
  const tag = tagOf(locale)
  const dayForm = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeZone: 'UTC' })
  const momentForm = new Intl.DateTimeFormat(tag, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return {
    day: (day) => dayForm.format(new Date(`${day}T00:00:00Z`)),
    moment: (at) => `${momentForm.format(new Date(at))} UTC`,
    money(cents, currency) {
      const form = new Intl.NumberFormat(tag, { style: 'currency', currency })
      return form.format(cents / 10 ** (form.resolvedOptions().maximumFractionDigits ?? 2))
    },
    nights: (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000),
  }
}

/** Regions count for the form of dates; English and Portuguese without one are written as in Europe. */
function tagOf(locale: string): string {
  const language = languageOf(locale)
  if (language !== locale.split('-')[0]!.toLowerCase()) return 'en-GB'
  try {
    const [tag] = Intl.getCanonicalLocales(locale)
    return tag === language ? writtenIn(language) : tag!
  } catch {
    return writtenIn(language)
  }
}

/** Left to itself, JavaScript writes English as in the United States and Portuguese as in Brazil. */
const writtenIn = (language: Language) =>
  language === 'en' ? 'en-GB' : language === 'pt' ? 'pt-PT' : language

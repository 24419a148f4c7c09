/** The languages that all messages are translated to. */
export const languages = ['en', 'de', 'fr', 'es', 'pt'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)

/** The language of a locale such as `de-AT`; English for an unsupported one. */
export function languageOf(locale: string): Language {
  const language = locale.split('-')[0]!.toLowerCase()
  return isLanguage(language) ? language : 'en'
}

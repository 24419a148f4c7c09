import { IntlMessageFormat } from 'intl-messageformat'

export const languages = ['en', 'de', 'pt'] as const
export type Language = (typeof languages)[number]

/** The texts of one screen in every language; a text that is missing in one of them does not compile. */
export type Messages<Key extends string> = Record<Language, Record<Key, string>>

/** What may stand in the braces of a message. */
export type MessageValues = Record<string, string | number>

export const defineMessages = <Key extends string>(messages: {
  en: Record<Key, string>
  de: Record<NoInfer<Key>, string>
  pt: Record<NoInfer<Key>, string>
}): Messages<Key> => messages

/** Preparing a message takes longer than filling it in, so it is done once; each language has its own messages. */
const formats = new Map<unknown, IntlMessageFormat>()

/** A message in ICU syntax with its values filled in: `{count, plural, one {# night} other {# nights}}`. */
export const formatMessage = (text: string, locale: string, values?: MessageValues): string => {
  if (typeof text === 'string' && !text.includes('{')) return text
  const known = formats.get(text)
  if (known) return String(known.format(values))
  const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
  formats.set(text, format)
  return String(format.format(values))
}

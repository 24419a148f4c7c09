import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'

import { formatMessage, languages } from './messages.ts'
import type { Language, Messages, MessageValues } from './messages.ts'

interface LanguageChoice {
  language: Language
  /** The language with the person's region: how numbers, money and dates are written. */
  locale: string
  choose: (language: Language) => void
}

const storageKey = 'language'
const defaultLocales: Record<Language, string> = { en: 'en-GB', de: 'de-DE', pt: 'pt-PT' }

const LanguageContext = createContext<LanguageChoice>({ language: 'en', locale: 'en-GB', choose: () => {} })

/** The language chosen in the account menu; without a choice, the first of the browser's that we speak. */
export const LanguageProvider = ({ children }: { children: ReactNode }) => {
  const [language, setLanguage] = useState(firstLanguage)
  const choice = useMemo(
    () => ({
      language,
      locale: localeOf(language, navigator.languages),
      choose: (next: Language) => {
        localStorage.setItem(storageKey, next)
        setLanguage(next)
      },
    }),
    [language],
  )
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return <LanguageContext value={choice}>{children}</LanguageContext>
}

export const useLanguage = (): LanguageChoice => useContext(LanguageContext)

/** The texts of a screen in the language of the person: `const text = useMessages(messages); text('title')`. */
export const useMessages = <Key extends string>(messages: Messages<Key>) => {
  const { language, locale } = useLanguage()
  return useCallback(
    (key: Key, values?: MessageValues) => formatMessage(messages[language][key], locale, values),
    [messages, language, locale],
  )
}

/** `pt-BR` keeps its own number format while the texts are those of `pt`. */
const localeOf = (language: Language, preferred: readonly string[]): string =>
  preferred.find((locale) => languageOf(locale) === language) ?? defaultLocales[language]

const firstLanguage = (): Language => {
  const chosen = localStorage.getItem(storageKey)
  const candidates = [chosen, ...navigator.languages.map(languageOf)]
  return languages.find((known) => known === candidates.find((one) => isKnown(one))) ?? 'en'
}

const isKnown = (language: string | null | undefined) => languages.some((known) => known === language)

const languageOf = (locale: string) => locale.split('-')[0]

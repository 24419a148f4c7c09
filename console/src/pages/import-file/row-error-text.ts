import { useCallback } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { contract } from '@vacancy/client'

import { useLanguage } from '../../i18n/language.tsx'
import { loadProblemTexts } from '../../session/translate-problem.ts'

/** The sentence of a row's error in the language of the page; the English one says more, so it stays beside it. */
export const useRowErrorText = () => {
  const { language } = useLanguage()
  const { data: texts } = useQuery({
    queryKey: ['problem-texts', language],
    queryFn: async () => (await loadProblemTexts(language)) ?? null,
    staleTime: Infinity,
  })
  return useCallback(
    ({ code, message }: contract.RowError): { message: string; original?: string } => {
      const translated = texts?.problems[code] ?? texts?.rules[code]
      return translated && !translated.includes('{')
        ? { message: translated, original: message }
        : { message }
    },
    [texts],
  )
}

import { useCallback } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { contract } from '@vacancy/client'

import { useLanguage } from '../../i18n/language.tsx'
import { translateRule } from '../../i18n/problem-texts.ts'
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
    (error: contract.RowError): { message: string; original?: string } => {
      const translated = texts && (texts.problems[error.code] ?? translateRule(texts.rules, error))
      return translated ? { message: translated, original: error.message } : { message: error.message }
    },
    [texts],
  )
}

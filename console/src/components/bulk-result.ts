import type { contract } from '@vacancy/client'

import { translate } from '../i18n/problem-texts.ts'
import { useMessages } from '../i18n/language.tsx'
import { loadProblemTexts } from '../session/translate-problem.ts'
import { componentMessages } from './component-messages.ts'
import { useToast } from './toast.tsx'

/** The maximum number of records of one request. */
export const maxBulkRecords = 500

/** A record that stayed as it was, and why. */
export interface BulkFailure {
  id: string
  name: string
  reason: string
}

/** Says how many records a bulk action changed, and returns those that it did not. */
export const useBulkResult = () => {
  const text = useMessages(componentMessages)
  const toast = useToast()
  return async (
    { succeeded, results }: contract.BulkChange,
    nameOf: (id: string) => string,
  ): Promise<BulkFailure[]> => {
    if (succeeded > 0) toast({ message: text('changed', { count: succeeded }) })
    const texts = await loadProblemTexts(document.documentElement.lang)
    return results.flatMap(({ id, problem }) =>
      problem
        ? [{ id, name: nameOf(id), reason: (texts && translate(texts, problem).detail) ?? problem.detail }]
        : [],
    )
  }
}

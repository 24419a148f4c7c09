import { translate } from '../i18n/problem-texts.ts'
import type { ProblemBody, ProblemTexts } from '../i18n/problem-texts.ts'

/** Loaded when the first request fails: few people ever need them. */
const languages: Readonly<Record<string, () => Promise<{ texts: ProblemTexts }>>> = {
  de: () => import('../i18n/problem-texts-de.ts'),
  pt: () => import('../i18n/problem-texts-pt.ts'),
}

/**
 * A failed response with its problem in the language of the page. The English sentence, which may name nights or
 * records, stays as the member `original`; what has no text in the language stays English.
 */
export const translateProblem = async (response: Response): Promise<Response> => {
  const load = languages[document.documentElement.lang]
  if (response.ok || !load || !response.headers.get('content-type')?.includes('problem+json')) return response
  try {
    const [{ texts }, body] = await Promise.all([load(), response.clone().json() as Promise<ProblemBody>])
    return new Response(JSON.stringify(translate(texts, body)), response)
  } catch {
    return response
  }
}

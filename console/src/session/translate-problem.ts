import { translate } from '../i18n/problem-texts.ts'
import type { ProblemBody, ProblemTexts } from '../i18n/problem-texts.ts'

/** Loaded when the first request fails: few people ever need them. */
const languages: Readonly<Record<string, () => Promise<{ texts: ProblemTexts }>>> = {
  de: () => import('../i18n/problem-texts-de.ts'),
  pt: () => import('../i18n/problem-texts-pt.ts'),
}

/** Undefined where the texts of the API are in the language itself. */
export const loadProblemTexts = async (language: string): Promise<ProblemTexts | undefined> =>
  (await languages[language]?.())?.texts

/**
 * A failed response with its problem in the language of the page. The English sentence, which may name nights or
 * records, stays as the member `original`; what has no text in the language stays English.
 */
export const translateProblem = async (response: Response): Promise<Response> => {
  const { lang } = document.documentElement
  if (response.ok || !languages[lang] || !response.headers.get('content-type')?.includes('problem+json'))
    return response
  try {
    const [texts, body] = await Promise.all([
      loadProblemTexts(lang),
      response.clone().json() as Promise<ProblemBody>,
    ])
    return texts ? new Response(JSON.stringify(translate(texts, body)), response) : response
  } catch {
    return response
  }
}

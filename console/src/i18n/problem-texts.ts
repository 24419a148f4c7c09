/** What a person reads instead of the English texts of the API. */
export interface ProblemTexts {
  /** By the code of a problem: what is wrong, and what to do. */
  readonly problems: Readonly<Record<string, string>>
  /** By the code of a field error: what the field must be; `{limit}` is the number in the message of the API. */
  readonly rules: Readonly<Record<string, string>>
}

interface ProblemBody {
  code?: string
  detail?: string
  errors?: { code: string; message: string }[]
}

/** Loaded when the first request fails: few people ever need them. */
const languages: Readonly<Record<string, () => Promise<{ texts: ProblemTexts }>>> = {
  de: () => import('./problem-texts-de.ts'),
  pt: () => import('./problem-texts-pt.ts'),
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

export const translate = ({ problems, rules }: ProblemTexts, body: ProblemBody): ProblemBody => {
  const detail = problems[body.code ?? '']
  return {
    ...body,
    ...(detail && { detail, original: body.detail }),
    ...(body.errors && {
      errors: body.errors.map((error) => ({ ...error, message: ruleOf(rules, error) ?? error.message })),
    }),
  }
}

const ruleOf = (rules: ProblemTexts['rules'], { code, message }: { code: string; message: string }) => {
  const rule = rules[code]
  if (!rule?.includes('{limit}')) return rule
  const limit = /(-?\d[\d.,]*?)(?: characters| entries)?\.?$/.exec(message)?.[1]
  return limit === undefined ? undefined : rule.replace('{limit}', limit)
}

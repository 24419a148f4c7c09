/** What a person reads instead of the English texts of the API. */
export interface ProblemTexts {
  /** By the code of a problem: what is wrong, and what to do. */
  readonly problems: Readonly<Record<string, string>>
  /** By the code of a field error: what the field must be; `{limit}` is the number in the message of the API. */
  readonly rules: Readonly<Record<string, string>>
}

export interface ProblemBody {
  code?: string
  detail?: string
  errors?: { code: string; message: string }[]
}

/** The problem in another language; what has no text in it stays English. */
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
  const limit = message.match(/-?\d+(?:[.,]\d+)*/g)?.at(-1)
  return limit === undefined ? undefined : rule.replace('{limit}', limit)
}

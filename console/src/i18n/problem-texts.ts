/** What a person reads instead of the English texts of the API. */
export interface ProblemTexts {
  /** By the code of a problem: what is wrong, and what to do. */
  readonly problems: Readonly<Record<string, string>>
  /**
   * By the code of a field error: what the field must be. `{limit}` is the last number in the message of the API, `{first}`
   * its first one. `_example` is added to the code when the message ends with one, which `{example}` is.
   */
  readonly rules: Readonly<Record<string, string>>
}

export interface ProblemBody {
  code?: string
  detail?: string
  errors?: { pointer?: string; code: string; message: string }[]
}

/** The problem in another language; what has no text in it stays English. */
export const translate = ({ problems, rules }: ProblemTexts, body: ProblemBody): ProblemBody => {
  const [only, ...others] = body.errors ?? []
  // An error of no field says more than the code of the problem, such as one of a whole file.
  const isOfAll = only && others.length === 0 && (only.pointer === '' || only.pointer === '/')
  const detail = (isOfAll && translateRule(rules, only)) || problems[body.code ?? '']
  return {
    ...body,
    ...(detail && { detail, original: body.detail }),
    ...(body.errors && {
      errors: body.errors.map((error) => ({
        ...error,
        message: translateRule(rules, error) ?? error.message,
      })),
    }),
  }
}

/** Undefined where the rule has no text, or the message none of its numbers. */
export const translateRule = (
  rules: ProblemTexts['rules'],
  { code, message }: { code: string; message: string },
): string | undefined => {
  const numbers = message.match(/-?\d+(?:[.,]\d+)*/g)
  const example = /, such as (\S+)\.$/.exec(message)?.[1]
  const text = (example && rules[`${code}_example`]?.replace('{example}', example)) ?? rules[code]
  const filled = text?.replace('{first}', numbers?.[0] ?? '{').replace('{limit}', numbers?.at(-1) ?? '{')
  return filled?.includes('{') ? undefined : filled
}

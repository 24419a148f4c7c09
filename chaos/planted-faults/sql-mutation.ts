/** A range of the source and its new text. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What is replaced in the SQL of a function. */
export type SqlTarget =
  /** The locks of the selected rows are not taken. */
  | { readonly sqlLock: true }
  /** The condition of `where` or `and` that mentions the column. */
  | { readonly sqlCondition: string }
  /** A call, or one of its arguments. A first argument may follow the name: `set_config('role'`. */
  | { readonly sqlCall: string; readonly argument?: number }
  /** The value of a selected column with this name. */
  | { readonly sqlColumn: string }

const lock = /\bfor\s+(no\s+key\s+)?(update|share)\b(\s+of\s+\w+)?(\s+skip\s+locked)?/gi
const clause = /\b(and|or|where|on|order|group|limit|returning|union|for|then|when|end)\b/i

/** The places in a template that are meant, at their position in the file. */
export function replaceInSql(template: string, offset: number, target: SqlTarget, text: string): Place[] {
  const place = ([start, end]: readonly [number, number]): Place => ({
    start: offset + start,
    end: offset + end,
    text,
  })
  if ('sqlLock' in target)
    return [...template.matchAll(lock)].map(({ index, 0: { length } }) => place([index, index + length]))
  if ('sqlCondition' in target)
    return mentionsOf(template, target.sqlCondition).map((at) => place(conditionAround(template, at)))
  if ('sqlColumn' in target)
    return [...template.matchAll(new RegExp(`\\s+as\\s+${target.sqlColumn}\\b`, 'g'))].map(({ index }) =>
      place([walk(template, index, -1, /\bselect\s$|,$/i), index]),
    )
  return mentionsOf(template, target.sqlCall).flatMap((at) => {
    const open = template.indexOf('(', at)
    if (!target.sqlCall.startsWith(template.slice(at, open))) return []
    const args = argumentsFrom(template, open + 1)
    const end = args.at(-1)![1] + 1
    return [place(target.argument === undefined ? [at, end] : args[target.argument]!)]
  })
}

const mentionsOf = (template: string, name: string): number[] =>
  [...template.matchAll(new RegExp(`(?<![\\w.])${name.replace(/[.(]/g, '\\$&')}(?!\\w)`, 'g'))].map(
    ({ index }) => index,
  )

const conditionAround = (template: string, at: number): [number, number] => [
  walk(template, at, -1, new RegExp(`${clause.source}\\s$`, 'i')),
  walk(template, at, 1, new RegExp(`^\\s${clause.source}`, 'i')),
]

/** Goes on to the end of the parenthesis, or to a separator outside of inner ones. */
function walk(text: string, from: number, step: 1 | -1, separator: RegExp): number {
  const [opening, closing] = step === 1 ? ['([{', ')]}`'] : [')]}', '([{`']
  let depth = 0
  for (let at = from; at > 0 && at < text.length; at += step) {
    const character = text[step === 1 ? at : at - 1]!
    if (depth === 0 && closing.includes(character)) return at
    if (
      depth === 0 &&
      separator.test(step === 1 ? text.slice(at, at + 12) : text.slice(Math.max(0, at - 12), at))
    )
      return at
    if (opening.includes(character)) depth++
    if (closing.includes(character)) depth--
  }
  throw new Error('The SQL has no end there.')
}

/** The ranges of the arguments behind an opening parenthesis. */
function argumentsFrom(text: string, from: number): [number, number][] {
  const args: [number, number][] = []
  for (let start = from; ;) {
    const end = walk(text, start, 1, /^,/)
    const lead = /^\s*/.exec(text.slice(start))![0].length
    args.push([start + lead, end])
    if (text[end] !== ',') return args
    start = end + 1
  }
}

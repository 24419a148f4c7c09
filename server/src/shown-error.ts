/** What the log keeps of an error. Everything else could hold a row of a table, a letter, or a key. */
interface ShownError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ShownError
  readonly [name: string]: unknown
}

/**
 * Names of ours and of the database's parts. What PostgreSQL says beside its message (`detail`, `where`) repeats the
 * row, and libraries hang whole requests on their errors.
 */
const members = [
  'code',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'syscall',
  'status',
]
const longestMessage = 500
const deepest = 3

export function shownError(error: unknown, depth = 0): ShownError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' }
  const more = Object.fromEntries(
    members.flatMap((name) => {
      const value = (error as unknown as Record<string, unknown>)[name]
      return typeof value === 'string' || typeof value === 'number' ? [[name, shortened(value)]] : []
    }),
  )
  return {
    type: error.name,
    message: String(shortened(messageOf(error))),
    // The places only: the first lines repeat the message.
    ...(error.stack && depth === 0 && { stack: error.stack.split('\n').filter(isPlace).join('\n') }),
    ...(error.cause instanceof Error && depth < deepest && { cause: shownError(error.cause, depth + 1) }),
    ...more,
  }
}

/** A parser repeats what it cannot read, and so does the database. */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError) return 'a text cannot be parsed'
  return 'severity' in error ? error.message.replace(/: ".*$/s, ': "…"') : error.message
}

const isPlace = (line: string) => /^ +at /.test(line)
const shortened = (value: string | number) =>
  typeof value === 'string' ? value.slice(0, longestMessage) : value

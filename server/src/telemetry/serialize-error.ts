/** The parts of an error that are logged. Any other member could hold personal data or a secret. */
interface SerializedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly cause?: SerializedError
  readonly [name: string]: unknown
}

/**
 * Error codes, and names of tables and system calls. PostgreSQL repeats the row in `detail` and `where`, and HTTP
 * libraries attach the whole request, so all other members are left out.
 */
const errorMembers = [
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
const maxMessageLength = 500
const maxCauses = 3

export function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' }
  const more = Object.fromEntries(
    errorMembers.flatMap((name) => {
      const value = (error as unknown as Record<string, unknown>)[name]
      return typeof value === 'string' || typeof value === 'number' ? [[name, truncate(value)]] : []
    }),
  )
  return {
    type: error.name,
    message: String(truncate(messageOf(error))),
    // Only the frames: the first lines repeat the message.
    ...(error.stack && depth === 0 && { stack: error.stack.split('\n').filter(isStackFrame).join('\n') }),
    ...(error.cause instanceof Error &&
      depth < maxCauses && { cause: serializeError(error.cause, depth + 1) }),
    ...more,
  }
}

/** Parsers and the database quote the value that they cannot read. */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError) return 'a text cannot be parsed'
  return 'severity' in error ? error.message.replace(/: ".*$/s, ': "…"') : error.message
}

const isStackFrame = (line: string) => /^ +at /.test(line)
const truncate = (value: string | number) =>
  typeof value === 'string' ? value.slice(0, maxMessageLength) : value

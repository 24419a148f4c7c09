import { Conflict, Invalid, NotFound } from '#errors.ts'

/** The exit code of each kind of failure. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  authentication: 4,
  notFound: 5,
  conflict: 6,
  rateLimited: 8,
} as const

/** A command failed; the message is for the user. */
export class CommandError extends Error {
  readonly exitCode: number
  /** What is printed beside the message with `--json`. */
  readonly facts: object

  constructor(kind: keyof typeof exitCodes, message: string, cause?: unknown, facts: object = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CommandError'
    this.exitCode = exitCodes[kind]
    this.facts = facts
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof NotFound) return exitCodes.notFound
  if (error instanceof Conflict) return exitCodes.conflict
  return error instanceof Invalid ? exitCodes.usage : exitCodes.failed
}

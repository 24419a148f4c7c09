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

/** A command failed; the message is one sentence for the user. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(kind: keyof typeof exitCodes, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CommandError'
    this.exitCode = exitCodes[kind]
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof NotFound) return exitCodes.notFound
  if (error instanceof Conflict) return exitCodes.conflict
  return error instanceof Invalid ? exitCodes.usage : exitCodes.failed
}

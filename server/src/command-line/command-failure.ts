import { Conflict, Invalid, NotFound } from '#errors.ts'

/** What each exit code says to a script. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  authentication: 4,
  notFound: 5,
  conflict: 6,
  rateLimited: 8,
} as const

/** A command that cannot do what it was asked, in one sentence, with the exit code that says which way. */
export class CommandFailure extends Error {
  readonly exitCode: number

  constructor(kind: keyof typeof exitCodes, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CommandFailure'
    this.exitCode = exitCodes[kind]
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode
  if (error instanceof NotFound) return exitCodes.notFound
  if (error instanceof Conflict) return exitCodes.conflict
  return error instanceof Invalid ? exitCodes.usage : exitCodes.failed
}

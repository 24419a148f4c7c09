// What a command may touch outside of itself, and how it answers.
import type { Environment } from '#start/environment.ts'

export type Surroundings = {
  env: Environment
  root: string
  out: NodeJS.WriteStream
  complain: NodeJS.WriteStream
  /** Becomes one of the entrances, such as the API, in this process. */
  enter: (entrance: 'api' | 'worker', args: string[], env: Environment) => Promise<void>
}

export function printer({ out, complain }: Surroundings, asJson: boolean) {
  return {
    /** The facts for a program, the text for a person. */
    answer: (facts: object, text: string) =>
      void out.write(asJson ? `${JSON.stringify(facts)}\n` : `${text}\n`),
    complain: (text: string) =>
      void complain.write(asJson ? `${JSON.stringify({ error: text })}\n` : `${text}\n`),
  }
}

/** Failures of the network hide their reason one level down, and several addresses hide it two. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (error instanceof AggregateError && !error.message) return failureOf(error.errors[0])
  if (error.message === 'fetch failed' && cause) return failureOf(cause)
  return error.message || error.name
}

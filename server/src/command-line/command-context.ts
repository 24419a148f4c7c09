/** What a command uses of its process, and how it prints its result. */
import type { Environment } from '#start/environment.ts'

export interface CommandContext {
  env: Environment
  root: string
  out: NodeJS.WriteStream
  err: NodeJS.WriteStream
  /** Runs the API or a worker in this process. */
  runEntryPoint: (name: 'api' | 'worker', args: string[], env: Environment) => Promise<void>
}

export function printer({ out, err }: CommandContext, asJson: boolean) {
  return {
    /** Prints the facts as JSON, or the text. */
    result: (facts: object, text: string) =>
      void out.write(asJson ? `${JSON.stringify(facts)}\n` : `${text}\n`),
    error: (text: string, facts: object = {}) =>
      void err.write(asJson ? `${JSON.stringify({ error: text, ...facts })}\n` : `${text}\n`),
  }
}

/** Errors of `fetch` have their reason in `cause`, and in `errors` when several addresses were tried. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (error instanceof AggregateError && !error.message) return errorMessage(error.errors[0])
  if (error.message === 'fetch failed' && cause) return errorMessage(cause)
  return error.message || error.name
}

/** Formats rows of text in aligned columns. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

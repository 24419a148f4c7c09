/** Reports each step of the start and its duration: lines for a person, JSON for a program. */
export type ProgressOutput = ReturnType<typeof openProgress>

export function openProgress(out: NodeJS.WriteStream, asJson = false) {
  const isPlain = asJson || !out.isTTY
  const paint = (code: number, text: string) => (isPlain ? text : `\x1b[${code}m${text}\x1b[0m`)
  const json = (value: object) => out.write(`${JSON.stringify(value)}\n`)
  return {
    paint,
    /** Runs a step and reports it with a text that depends on its result. */
    step: async <T>(work: () => Promise<T>, text: (result: T) => string) => {
      const startedAt = performance.now()
      const result = await work()
      const ms = Math.round(performance.now() - startedAt)
      if (asJson) json({ step: text(result), ms })
      else
        out.write(
          `${paint(32, '✓')} ${text(result).padEnd(64)} ${paint(2, `${ms.toLocaleString('en')} ms`)}\n`,
        )
      return result
    },
    notice: (text: string) => (asJson ? json({ notice: text }) : out.write(`${paint(33, '!')} ${text}\n`)),
    /** Prints the facts as JSON, or the text for a person. */
    print: (facts: object, text: string) => (asJson ? json(facts) : out.write(text)),
  }
}

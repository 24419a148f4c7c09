// Tells the person who waits what has been done and how long it took; a program gets a line of JSON each.
export type Progress = ReturnType<typeof openProgress>

export function openProgress(out: NodeJS.WriteStream, asJson = false) {
  const isPlain = asJson || !out.isTTY
  const paint = (code: number, text: string) => (isPlain ? text : `\x1b[${code}m${text}\x1b[0m`)
  const json = (value: object) => out.write(`${JSON.stringify(value)}\n`)
  return {
    paint,
    /** The text is known when the work is done, since it says what came of it. */
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
    /** The facts for a program, the text for a person. */
    print: (facts: object, text: string) => (asJson ? json(facts) : out.write(text)),
  }
}

/** Asks once in so long, however many want to know; a failure is not kept. */
export function keepAnswer<T>(ask: () => Promise<T>, keptMs: number): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined
  return () => {
    if (last && performance.now() - last.at < keptMs) return last.answer
    const asked = { at: performance.now(), answer: ask() }
    last = asked
    asked.answer.catch(() => {
      if (last === asked) last = undefined
    })
    return asked.answer
  }
}

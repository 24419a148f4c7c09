/** The same words come with every look of every worker while the database is away: they are told this seldom. */
const quietMs = 30_000
const mostKinds = 100

/**
 * Passes on what the library of the queue finds wrong. It says so by an error, or by the members of one in a plain
 * object; what has no message of its own is told by its code.
 */
export function seldom(tell: (error: Error) => void, now: () => number = Date.now) {
  const toldAt = new Map<string, number>()
  return (trouble: unknown): void => {
    const error = errorOf(trouble)
    const before = toldAt.get(error.message)
    if (before !== undefined && now() - before < quietMs) return
    if (toldAt.size >= mostKinds) toldAt.clear()
    toldAt.set(error.message, now())
    tell(error)
  }
}

function errorOf(trouble: unknown): Error {
  if (trouble instanceof Error) return trouble
  const { message, code } = (trouble ?? {}) as { message?: unknown; code?: unknown }
  const words = [message, code].find((part) => typeof part === 'string')
  return Object.assign(new Error(words ?? 'no reason given'), typeof code === 'string' && { code })
}

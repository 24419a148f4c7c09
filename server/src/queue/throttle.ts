/** While the database is away, every poll of every worker reports the same error. */
const intervalMs = 30_000
const maxMessages = 100

/** Passes on each error message at most once in 30 s. Accepts whatever the queue library reports as an error. */
export function throttle(report: (error: Error) => void, now: () => number = Date.now) {
  const reportedAt = new Map<string, number>()
  return (reported: unknown): void => {
    const error = toError(reported)
    const last = reportedAt.get(error.message)
    if (last !== undefined && now() - last < intervalMs) return
    if (reportedAt.size >= maxMessages) reportedAt.clear()
    reportedAt.set(error.message, now())
    report(error)
  }
}

/** The library reports errors, or plain objects with the members of one. Without a message, the code stands for it. */
function toError(reported: unknown): Error {
  if (reported instanceof Error) return reported
  const { message, code } = (reported ?? {}) as { message?: unknown; code?: unknown }
  const text = [message, code].find((part) => typeof part === 'string')
  return Object.assign(new Error(text ?? 'no reason given'), typeof code === 'string' && { code })
}

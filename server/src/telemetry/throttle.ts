/** While the database is away, every poll of every worker reports the same error. */
const intervalMs = 30_000
const maxMessages = 100

/** Passes on each error message at most once in 30 s. */
export function throttle(report: (error: Error) => void, now: () => number = () => performance.now()) {
  const reportedAt = new Map<string, number>()
  return (error: Error): void => {
    const last = reportedAt.get(error.message)
    if (last !== undefined && now() - last < intervalMs) return
    if (reportedAt.size >= maxMessages) reportedAt.clear()
    reportedAt.set(error.message, now())
    report(error)
  }
}

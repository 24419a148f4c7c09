import { tooMany } from './envelope.ts'

export type Limits = { ip: number; account: number; window_ms: number }

export type RateLimits = ReturnType<typeof openRateLimits>

/** Calls in the last ten seconds, by address and by account. A call that is refused does not count. */
export function openRateLimits(now: () => number) {
  let limits: Limits = { ip: 15, account: 20, window_ms: 10_000 }
  const calls = new Map<string, number[]>()

  return {
    limits: () => limits,
    set(changed: Partial<Limits>) {
      limits = { ...limits, ...changed }
      calls.clear()
    },
    count(scope: 'ip' | 'account', key: string | number) {
      const name = `${scope} ${key}`
      const recent = (calls.get(name) ?? []).filter((atMs) => atMs > now() - limits.window_ms)
      calls.set(name, recent)
      if (recent.length >= limits[scope]) throw tooMany()
      recent.push(now())
    },
  }
}

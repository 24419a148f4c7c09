import { tooManyRequests } from './envelope.ts'

export type Limits = { ip: number; account: number; window_ms: number }

export type RateLimits = ReturnType<typeof openRateLimits>

/** Limits calls in a sliding window, by address and by account. Refused calls do not count. */
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
      if (recent.length >= limits[scope]) throw tooManyRequests()
      recent.push(now())
    },
  }
}

import { useCallback, useSyncExternalStore } from 'react'

const tickMs = 5000
const listeners = new Set<() => void>()
let ticker: ReturnType<typeof setInterval> | undefined

/** How long ago something was, kept current by one clock for the whole page; its title is the exact time. */
export const Moment = ({ at, prefix = '' }: { at: string; prefix?: string }) => {
  const text = useSyncExternalStore(
    everyTick,
    useCallback(() => sayMoment(at, Date.now()), [at]),
  )
  return (
    <time dateTime={at} title={utc(at)}>
      {prefix}
      {text}
    </time>
  )
}

/** `2026-11-21 08:04:12 UTC`. */
export const utc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Short enough for a row: `just now`, `12 s ago`, `in 3 min`, `5 d ago`. */
export const sayMoment = (at: string, nowMs: number): string => {
  const seconds = Math.round((nowMs - Date.parse(at)) / 1000)
  const size = Math.abs(seconds)
  if (size < 5) return seconds < 0 ? 'in a moment' : 'just now'
  const span = spanOf(size)
  return seconds < 0 ? `in ${span}` : `${span} ago`
}

const spanOf = (seconds: number): string => {
  if (seconds < 60) return `${seconds - (seconds % 5)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

const everyTick = (listener: () => void) => {
  listeners.add(listener)
  ticker ??= setInterval(() => listeners.forEach((tell) => tell()), tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticker)
    ticker = undefined
  }
}

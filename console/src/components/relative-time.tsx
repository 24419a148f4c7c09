import { useCallback, useSyncExternalStore } from 'react'

import { useFormat } from '../i18n/format.ts'

const tickMs = 5000
const listeners = new Set<() => void>()
let ticker: ReturnType<typeof setInterval> | undefined

interface RelativeTimeProps {
  at: string
  /** The zone of the exact time in the tooltip: the property's, where there is one. */
  timeZone?: string | undefined
}

/** How long ago something was, kept current by one timer for the whole page. */
export const RelativeTime = ({ at, timeZone }: RelativeTimeProps) => {
  const format = useFormat()
  const text = useSyncExternalStore(
    subscribeToTicks,
    useCallback(() => format.timeAgo(at, Date.now()), [format, at]),
  )
  return (
    <time dateTime={at} title={format.dateTime(at, timeZone)}>
      {text}
    </time>
  )
}

export const subscribeToTicks = (listener: () => void) => {
  listeners.add(listener)
  ticker ??= setInterval(() => listeners.forEach((notify) => notify()), tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticker)
    ticker = undefined
  }
}

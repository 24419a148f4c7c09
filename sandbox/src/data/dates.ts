/** Days are counted from 1970-01-01, so that ranges and weekdays are simple arithmetic. */

const dayMs = 86_400_000

/** The day of `YYYY-MM-DD`; undefined if there is no such day. */
export function dayOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const known = knownDays.get(value)
  if (known !== undefined || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return known
  const ms = Date.parse(`${value}T00:00:00Z`)
  if (Number.isNaN(ms) || dateOf(ms / dayMs) !== value) return undefined
  if (knownDays.size >= 4_000) knownDays.clear()
  knownDays.set(value, ms / dayMs)
  return ms / dayMs
}

/** A cache, because the same few dates come in every message. */
const knownDays = new Map<string, number>()

export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** 0 is Monday. */
export function weekdayOf(day: number): number {
  return (day + 3) % 7
}

export const weekdayNames = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']

/** Today in a time zone; null means UTC. */
export function todayIn(timezone: string | null, nowMs: number): number {
  const zone = timezone ?? 'UTC'
  let calendar = calendars.get(zone)
  if (!calendar) calendars.set(zone, (calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })))
  return dayOf(calendar.format(nowMs)) as number
}

const calendars = new Map<string, Intl.DateTimeFormat>()

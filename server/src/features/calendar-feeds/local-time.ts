import { isTimeZone } from '#fields.ts'

/**
 * Clocks on walls. A wall time is what a clock shows, as milliseconds since 1970 as if it hung in UTC; an instant is
 * milliseconds since 1970 everywhere.
 */

export interface Zone {
  /**
   * When the clock shows this. A time that is shown twice is the first of both; one that is skipped is what the clock
   * would show without its change (RFC 5545, section 3.3.5).
   */
  instant(wall: number): number
  /** Whether the clock ever shows this: not when a change of clocks skips it. */
  exists(wall: number): boolean
}

export const dayMs = 86_400_000
export const utc: Zone = { instant: (wall) => wall, exists: () => true }

/** What a clock in the zone shows at an instant. */
export const wallAt = (instant: number, timezone: string): number =>
  instant + offsetAt(bounded(instant), timezone)

/** A zone by its IANA name, also where other programs have put their own words before it. */
export function zoneNamed(name: string): Zone | undefined {
  const parts = name.split('/')
  const known = [name, parts.slice(-2).join('/'), parts.slice(-3).join('/')].find(isTimeZone)
  if (known === undefined) return undefined
  const instant = (wall: number) => {
    const early = wall - offsetAt(bounded(wall - dayMs), known)
    const late = wall - offsetAt(bounded(wall + dayMs), known)
    return wallAt(early, known) !== wall && wallAt(late, known) === wall ? late : early
  }
  return { instant, exists: (wall) => wallAt(instant(wall), known) === wall }
}

/** The day that a wall time falls on, counted from 1970-01-01. */
export const dayOf = (wall: number): number => Math.floor(wall / dayMs)

/** Where time zones have nothing more to say; the nights that are asked for are far inside. */
const earliest = Date.UTC(1900, 0, 1)
const latest = Date.UTC(2300, 0, 1)
const bounded = (ms: number) => Math.min(Math.max(ms, earliest), latest)

function offsetAt(instant: number, timezone: string): number {
  const shown: Record<string, number> = {}
  for (const { type, value } of formatFor(timezone).formatToParts(instant)) shown[type] = Number(value)
  const { year, month, day, hour, minute, second } = shown
  const wall = Date.UTC(year!, month! - 1, day, hour, minute, second)
  return wall - Math.floor(instant / 1_000) * 1_000
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatFor(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (!format) {
    const numeric = 'numeric' as const
    format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    })
    if (formats.size < 600) formats.set(timeZone, format)
  }
  return format
}

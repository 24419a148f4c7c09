import { isKnownZone } from '#schema/nights.ts'

/**
 * Conversions between local times and instants. A wall time is what a local clock shows, as milliseconds since 1970 as if
 * the clock showed UTC; an instant is milliseconds since 1970 in UTC.
 */

export interface Zone {
  /**
   * The instant of a wall time. A time that occurs twice is the first of the two; one that is skipped by a clock change
   * is interpreted with the offset before the change (RFC 5545, section 3.3.5).
   */
  instant(wall: number): number
  /** False for a wall time that a clock change skips. */
  exists(wall: number): boolean
}

export const dayMs = 86_400_000
export const utc: Zone = { instant: (wall) => wall, exists: () => true }

/** The wall time in a zone at an instant. */
export const wallAt = (instant: number, timezone: string): number =>
  instant + offsetAt(clamp(instant), timezone)

/** Finds a zone by its IANA name, which some programs prefix with a path of their own. */
export function findZone(name: string): Zone | undefined {
  const parts = name.split('/')
  const known = [name, parts.slice(-2).join('/'), parts.slice(-3).join('/')].find(isKnownZone)
  if (known === undefined) return undefined
  const instant = (wall: number) => {
    const early = wall - offsetAt(clamp(wall - dayMs), known)
    const late = wall - offsetAt(clamp(wall + dayMs), known)
    return wallAt(early, known) !== wall && wallAt(late, known) === wall ? late : early
  }
  return { instant, exists: (wall) => wallAt(instant(wall), known) === wall }
}

/** The day of a wall time, counted from 1970-01-01. */
export const dayOf = (wall: number): number => Math.floor(wall / dayMs)

/** Limits for time zone lookups; the nights of a window are far inside. */
const minInstant = Date.UTC(1900, 0, 1)
const maxInstant = Date.UTC(2300, 0, 1)
const clamp = (ms: number) => Math.min(Math.max(ms, minInstant), maxInstant)

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

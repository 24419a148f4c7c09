import ICAL from 'ical.js'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { ImportedStay } from '#features/distribution/pms-bookings/imported-stay.ts'
import { parseEvents, type CalendarEvent, type ParsedComponent } from './calendar-events.ts'
import { dayMs, dayOf, wallAt } from './local-time.ts'
import { listOccurrences } from './occurrences.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The nights to read. */
export interface Window {
  /** The time zone of the nights. */
  readonly timezone: string
  /** `YYYY-MM-DD` */
  readonly from: string
  readonly nights: number
  /** Events with this UID suffix are our own, imported back from another program. */
  readonly ownUidSuffix: string
}

/** The number of events that cover each night; nights without an event are left out. */
export type CoveredNights = [date: string, events: number][]

/** The content of a calendar within a window. */
export interface CalendarReading {
  readonly nights: CoveredNights
  /** The events that cover the nights; events with the same days are one stay. */
  readonly stays: readonly ImportedStay[]
}

/** Reads which nights the events of a calendar cover, from the local arrival day to the departure day. */
export function readCalendar(text: string, window: Window): CalendarReading {
  try {
    return readNights(calendarEvents(text), window)
  } catch (error) {
    if (error instanceof UnreadableCalendar) throw error
    throw new UnreadableCalendar('An event of the calendar is invalid.')
  }
}

function readNights(events: CalendarEvent[], window: Window): CalendarReading {
  const first = nightOf(window.from)
  const change = new Int32Array(window.nights + 1)
  const budget = { left: maxOccurrences }
  const counts = new Map<string, number>()
  for (const [uid, versions] of Map.groupBy(events, ({ uid }) => uid)) {
    if (uid.endsWith(window.ownUidSuffix)) continue
    for (const { from, to, days } of spansOf(versions, window, first, budget).values()) {
      change[from]! += 1
      change[to]! -= 1
      counts.set(days, (counts.get(days) ?? 0) + 1)
    }
  }
  const covered: CoveredNights = []
  for (let at = 0, count = 0; at < window.nights; at++) {
    count += change[at]!
    if (count > 0) covered.push([dateOf(first + at), count])
  }
  const stays = [...counts].map(([days, reservations]) => {
    const [arrival, departure] = days.split('/') as [string, string]
    return { arrival, departure, reservations }
  })
  return { nights: covered, stays }
}

/** Limits days to years with four digits. */
const [minNight, maxNight] = [nightOf('1970-01-01'), nightOf('2400-01-01')]
const clampedDate = (night: number) => dateOf(Math.min(Math.max(night, minNight), maxNight))

/** A rule with more occurrences than this does not describe stays. */
const maxOccurrences = 50_000

/** Lines may be folded anywhere, also between the date and the time of a value. */
const lineFolds = /\r?\n[ \t]/g

/** Many calendars write dates without VALUE=DATE. */
const bareDates =
  /^((?:DTSTART|DTEND|EXDATE|RECURRENCE-ID))((?:;(?!VALUE=)[^:;\r\n\u2028\u2029]*)*):(\d{8}(?:,\d{8})*)(?=\r?$)/gim

/**
 * Properties that do not affect nights, with their folded lines: most of the text and memory of a calendar. Without the
 * flag `m`: it also begins a line after a U+2028, which guests paste into texts, and the match would end with the line
 * that follows.
 */
const ignoredLines =
  /(?<=^|\n)(?:DESCRIPTION|SUMMARY|LOCATION|DTSTAMP|CREATED|LAST-MODIFIED|ATTENDEE|ORGANIZER|CATEGORIES|COMMENT|CONTACT|URL|X-[\w-]+)[;:][^\n]*\n(?:[ \t][^\n]*\n)*/gi

function calendarEvents(text: string): CalendarEvent[] {
  let parsed: unknown[]
  try {
    parsed = ICAL.parse(
      text
        .replace(/^\uFEFF/, '')
        .trim()
        .replace(ignoredLines, '')
        .replace(lineFolds, '')
        .replace(bareDates, '$1$2;VALUE=DATE:$3'),
    ) as unknown[]
  } catch {
    throw new UnreadableCalendar('The response is not a valid calendar.')
  }
  // A text with several calendars is parsed as a list.
  const calendars = (typeof parsed[0] === 'string' ? [parsed] : parsed) as ParsedComponent[]
  if (calendars.length === 0 || calendars.some(([name]) => name !== 'vcalendar'))
    throw new UnreadableCalendar('The response is not a calendar.')
  return calendars.flatMap(parseEvents)
}

/** Nights counted from the first night of the window, and the whole stay as `arrival/departure`. */
interface Span {
  readonly from: number
  readonly to: number
  readonly days: string
}

/**
 * The spans of one UID within the window, each once: hourly occurrences on the same days are one guest, and so are
 * duplicates of an event.
 */
function spansOf(
  versions: CalendarEvent[],
  { timezone, nights }: Window,
  first: number,
  budget: { left: number },
): Map<number, Span> {
  const spans = new Map<number, Span>()
  for (const event of latestVersions(versions)) {
    if (event.isFree) continue
    const { zone } = event
    const localNight = (wall: number) => dayOf(zone ? wallAt(zone.instant(wall), timezone) : wall) - first
    for (const [wall, lengthMs] of listOccurrences(event, versions, (first + nights + 2) * dayMs)) {
      if (--budget.left < 0) throw new UnreadableCalendar('An event of the calendar repeats too often.')
      if (wall + lengthMs < (first - 2) * dayMs) continue
      const begin = localNight(wall)
      // A stay that ends on the day of arrival occupies the room, too.
      const end = Math.max(localNight(wall + lengthMs), begin + 1)
      if (begin >= nights || end <= 0) continue
      const [from, to] = [Math.max(begin, 0), Math.min(end, nights)]
      const days = `${clampedDate(first + begin)}/${clampedDate(first + end)}`
      spans.set(from * (nights + 1) + to, { from, to, days })
    }
  }
  return spans
}

/** The latest version of an event or series, and of each changed occurrence. */
function latestVersions(events: CalendarEvent[]): CalendarEvent[] {
  const byOccurrence = Map.groupBy(events, ({ replaces }) => replaces?.instant ?? null)
  return [...byOccurrence.values()].flatMap((versions) => {
    const latest = Math.max(...versions.map(({ sequence }) => sequence))
    return versions.filter(({ sequence }) => sequence === latest)
  })
}

import ICAL from 'ical.js'
import { dateOf, nightOf } from '#nights.ts'
import type { ImportedStay } from '../pms-bookings/imported-stay.ts'
import { eventsOf, type CalendarEvent, type Parsed } from './calendar-events.ts'
import { dayMs, dayOf, wallAt } from './local-time.ts'
import { startsOf } from './occurrences.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** Which nights are asked for, and of whom. */
export interface Window {
  /** The zone that the nights are local to. */
  readonly timezone: string
  /** `YYYY-MM-DD` */
  readonly from: string
  readonly nights: number
  /** Events whose UID ends so are our own and come back from elsewhere. */
  readonly ownUidEnding: string
}

/** How many events cover each night; nights without one are left out. */
export type CoveredNights = [date: string, events: number][]

/** What a calendar says of the nights of a window. */
export interface CalendarReading {
  readonly nights: CoveredNights
  /** The events that cover them; those with the same days are one. */
  readonly stays: readonly ImportedStay[]
}

/** Which nights the events of a calendar cover: from the local day of arrival up to that of departure. */
export function readCalendar(text: string, window: Window): CalendarReading {
  try {
    return coveredBy(calendarEvents(text), window)
  } catch (error) {
    if (error instanceof UnreadableCalendar) throw error
    throw new UnreadableCalendar('An event of the calendar cannot be understood.')
  }
}

function coveredBy(events: CalendarEvent[], window: Window): CalendarReading {
  const first = nightOf(window.from)
  const change = new Int32Array(window.nights + 1)
  const budget = { left: mostOccurrences }
  const counts = new Map<string, number>()
  for (const [uid, versions] of Map.groupBy(events, ({ uid }) => uid)) {
    if (uid.endsWith(window.ownUidEnding)) continue
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

/** Days that can be written with four digits for the year. */
const [minNight, maxNight] = [nightOf('1970-01-01'), nightOf('2400-01-01')]
const dayWithin = (night: number) => dateOf(Math.min(Math.max(night, minNight), maxNight))

/** A rule that repeats more often than this is not about stays. */
const mostOccurrences = 50_000

/** Many calendars write days without saying that they are days. */
const bareDates =
  /^((?:DTSTART|DTEND|EXDATE|RECURRENCE-ID))((?:;(?!VALUE=)[^:;\r\n\u2028\u2029]*)*):(\d{8})(?=\r?$)/gim

/** Lines that say nothing of nights, with what is folded behind them: most of a calendar, and of the memory it takes. */
const unreadLines =
  /^(?:DESCRIPTION|SUMMARY|LOCATION|DTSTAMP|CREATED|LAST-MODIFIED|ATTENDEE|ORGANIZER|CATEGORIES|COMMENT|CONTACT|URL|X-[\w-]+)[;:].*\r?\n(?:[ \t].*\r?\n)*/gim

function calendarEvents(text: string): CalendarEvent[] {
  let parsed: unknown[]
  try {
    parsed = ICAL.parse(
      text
        .replace(/^\uFEFF/, '')
        .trim()
        .replace(unreadLines, '')
        .replace(bareDates, '$1$2;VALUE=DATE:$3'),
    ) as unknown[]
  } catch {
    throw new UnreadableCalendar('The address does not answer with a calendar that can be read.')
  }
  // Several calendars in one text come as a list of them.
  const calendars = (typeof parsed[0] === 'string' ? [parsed] : parsed) as Parsed[]
  if (calendars.length === 0 || calendars.some(([name]) => name !== 'vcalendar'))
    throw new UnreadableCalendar('The address does not answer with a calendar.')
  return calendars.flatMap(eventsOf)
}

/** Nights of the window, counted from its first, and the whole stay as `arrival/departure`. */
interface Span {
  readonly from: number
  readonly to: number
  readonly days: string
}

/**
 * The spans of one UID inside the window, counted from its first night. Each once: what repeats by the hour is still
 * one guest, and an event that stands in the calendar twice is one.
 */
function spansOf(
  versions: CalendarEvent[],
  { timezone, nights }: Window,
  first: number,
  budget: { left: number },
): Map<number, Span> {
  const spans = new Map<number, Span>()
  for (const event of current(versions)) {
    if (event.isFree) continue
    const { zone } = event
    const localNight = (wall: number) => dayOf(zone ? wallAt(zone.instant(wall), timezone) : wall) - first
    for (const [wall, lengthMs] of startsOf(event, versions, (first + nights + 2) * dayMs)) {
      if (--budget.left < 0) throw new UnreadableCalendar('An event of the calendar repeats too often.')
      if (wall + lengthMs < (first - 2) * dayMs) continue
      const begin = localNight(wall)
      // Who leaves on the day of arrival has used the room all the same.
      const end = Math.max(localNight(wall + lengthMs), begin + 1)
      if (begin >= nights || end <= 0) continue
      const [from, to] = [Math.max(begin, 0), Math.min(end, nights)]
      const days = `${dayWithin(first + begin)}/${dayWithin(first + end)}`
      spans.set(from * (nights + 1) + to, { from, to, days })
    }
  }
  return spans
}

/** Of several versions of an event the latest; a changed occurrence stands beside its series. */
function current(events: CalendarEvent[]): CalendarEvent[] {
  const series = events.filter(({ replaces }) => replaces === null)
  const latest = Math.max(...series.map(({ sequence }) => sequence))
  return events.filter((event) => event.replaces !== null || event.sequence === latest)
}

import assert from 'node:assert/strict'
import { readCalendar, type Window } from '#features/calendar-feeds/read-calendar.ts'
import { UnreadableCalendar } from '#features/calendar-feeds/unreadable-calendar.ts'

/** Calendars written line by line, and what is read from them. */

export const window: Window = {
  timezone: 'Europe/Lisbon',
  from: '2026-05-01',
  nights: 500,
  ownUidEnding: '.unit@vacancy',
}

export const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')

let made = 0
export const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  ...(lines.some((line) => line.startsWith('UID')) ? [] : [`UID:${++made}@elsewhere`]),
  ...lines,
  'END:VEVENT',
]

/** The nights in short: `05-10 05-11`, with the number of events where there is more than one. */
export const nights = (text: string, more: Partial<Window> = {}) =>
  readCalendar(text, { ...window, ...more })
    .nights.map(([date, events]) => date.slice(5) + (events > 1 ? `×${events}` : ''))
    .join(' ')

/** The nights of a calendar with one event. */
export const nightsOf = (lines: string[], more: Partial<Window> = {}) =>
  nights(calendar(...event(...lines)), more)

export const unreadable = (text: string, message: RegExp) =>
  assert.throws(
    () => readCalendar(text, window),
    (error) => error instanceof UnreadableCalendar && message.test(error.message),
  )

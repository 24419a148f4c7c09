import assert from 'node:assert/strict'
import { readCalendar, type Window } from '#features/distribution/calendar-feeds/read-calendar.ts'
import { UnreadableCalendar } from '#features/distribution/calendar-feeds/unreadable-calendar.ts'

/** Helpers to build calendars from lines and to parse them. */

export const window: Window = {
  timezone: 'Europe/Lisbon',
  from: '2026-05-01',
  nights: 500,
  ownUidSuffix: '.unit@vacancy',
}

export const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')

let eventCount = 0
export const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  ...(lines.some((line) => line.startsWith('UID')) ? [] : [`UID:${++eventCount}@elsewhere`]),
  ...lines,
  'END:VEVENT',
]

/** The nights as text, such as `05-10 05-11×2` for two events on the second night. */
export const nights = (text: string, fields: Partial<Window> = {}) =>
  readCalendar(text, { ...window, ...fields })
    .nights.map(([date, events]) => date.slice(5) + (events > 1 ? `×${events}` : ''))
    .join(' ')

/** The nights of a calendar with one event. */
export const nightsOf = (lines: string[], fields: Partial<Window> = {}) =>
  nights(calendar(...event(...lines)), fields)

export const unreadable = (text: string, message: RegExp) =>
  assert.throws(
    () => readCalendar(text, window),
    (error) => error instanceof UnreadableCalendar && message.test(error.message),
  )

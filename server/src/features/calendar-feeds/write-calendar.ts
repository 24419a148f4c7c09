import ICAL from 'ical.js'
import { dateOf, nightOf } from '#nights.ts'

/** Nights without a free room that follow each other; the last is included. */
export interface Stretch {
  readonly from: string
  readonly to: string
}

/** How the UIDs of a unit's events end, so that they are known when they come back. */
export const uidEnding = (unitId: string) => `.${unitId}@vacancy`

/** Nights in order → stretches of them. */
export function stretchesOf(nights: readonly string[]): Stretch[] {
  const stretches: { from: string; to: string }[] = []
  for (const night of nights) {
    const last = stretches.at(-1)
    if (last && nightOf(night) === nightOf(last.to) + 1) last.to = night
    else stretches.push({ from: night, to: night })
  }
  return stretches
}

/** The calendar of a unit: when it is not available, and nothing about whom. */
export function writeCalendar(
  unit: { id: string; name: string },
  stretches: readonly Stretch[],
  writtenAt: Date,
): string {
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('prodid', '-//Vacancy//Availability//EN')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('calscale', 'GREGORIAN')
  calendar.addPropertyWithValue('method', 'PUBLISH')
  const name = new ICAL.Property('x-wr-calname')
  // Without its type it would be written as it is, and a name with line breaks would write events.
  name.resetType('text')
  name.setValue(unit.name.replace(/\p{Cc}+/gu, ' '))
  calendar.addProperty(name)
  for (const { from, to } of stretches) {
    const event = new ICAL.Component('vevent')
    event.addPropertyWithValue('uid', from + uidEnding(unit.id))
    event.addPropertyWithValue('dtstamp', ICAL.Time.fromJSDate(writtenAt, true))
    event.addPropertyWithValue('dtstart', ICAL.Time.fromDateString(from))
    event.addPropertyWithValue('dtend', ICAL.Time.fromDateString(dateOf(nightOf(to) + 1)))
    event.addPropertyWithValue('summary', 'Not available')
    event.addPropertyWithValue('transp', 'OPAQUE')
    calendar.addSubcomponent(event)
  }
  return `${calendar.toString()}\r\n`
}

import ICAL from 'ical.js'
import { dateOf, nightOf } from '#schema/nights.ts'
import { uidSuffix, type NightRange } from './exported-nights.ts'

/** Writes the calendar of a unit: when it is not available, without anything about guests. */
export function writeCalendar(
  unit: { id: string; name: string },
  ranges: readonly NightRange[],
  writtenAt: Date,
): string {
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('prodid', '-//Vacancy//Availability//EN')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('calscale', 'GREGORIAN')
  calendar.addPropertyWithValue('method', 'PUBLISH')
  const name = new ICAL.Property('x-wr-calname')
  // Without a type the value is not escaped, and a name with line breaks could inject events.
  name.resetType('text')
  name.setValue(unit.name.replace(/\p{Cc}+/gu, ' '))
  calendar.addProperty(name)
  for (const { from, to } of ranges) {
    const event = new ICAL.Component('vevent')
    event.addPropertyWithValue('uid', from + uidSuffix(unit.id))
    event.addPropertyWithValue('dtstamp', ICAL.Time.fromJSDate(writtenAt, true))
    event.addPropertyWithValue('dtstart', ICAL.Time.fromDateString(from))
    event.addPropertyWithValue('dtend', ICAL.Time.fromDateString(dateOf(nightOf(to) + 1)))
    event.addPropertyWithValue('summary', 'Not available')
    event.addPropertyWithValue('transp', 'OPAQUE')
    calendar.addSubcomponent(event)
  }
  return `${calendar.toString()}\r\n`
}

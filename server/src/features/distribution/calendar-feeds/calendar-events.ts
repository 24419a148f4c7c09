import ICAL from 'ical.js'
import { dayMs, utc, findZone, type Zone } from './local-time.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** One event of a calendar, with its times as numbers. */
export interface CalendarEvent {
  readonly uid: string
  readonly sequence: number
  /** Cancelled, or marked as taking no time. */
  readonly isFree: boolean
  /** The time zone of its times; null for days and floating times, which are local to the reader. */
  readonly zone: Zone | null
  readonly start: Moment
  readonly lengthMs: number
  readonly rules: readonly ICAL.Recur[]
  /** Occurrences that RDATE adds, with their own length if they have one. */
  readonly added: readonly (readonly [start: Moment, lengthMs: number | undefined])[]
  /** Occurrences that EXDATE removes. */
  readonly excluded: readonly Moment[]
  /** The occurrence of a series that this event replaces (RECURRENCE-ID). */
  readonly replaces: Moment | null
}

export interface Moment {
  readonly time: ICAL.Time
  /** What a clock in its zone shows, as milliseconds since 1970. */
  readonly wall: number
  readonly isDay: boolean
  /** Milliseconds since 1970 in UTC, to compare times of different zones. */
  readonly instant: number
}

/** A component as `ical.js` parses it: its name, its properties, its components. */
export type ParsedComponent = [name: string, properties: unknown[], components: ParsedComponent[]]

/**
 * Parses the events of one calendar. One invalid event makes the whole calendar unreadable, because its nights must not
 * become free. Each event is detached from the calendar first: otherwise `ical.js` searches the whole calendar for the
 * zone of each time, and expands the rules of hostile zones.
 */
export function parseEvents([, , components]: ParsedComponent): CalendarEvent[] {
  const named = (name: string) =>
    components.filter((part) => part[0] === name).map((part) => new ICAL.Component(part))
  const zones = parseZones(named('vtimezone'))
  return named('vevent').flatMap((event, index) => {
    const start = event.getFirstProperty('dtstart')
    return start ? [parseEvent(event, start, zones, index)] : []
  })
}

function parseEvent(
  event: ICAL.Component,
  dtstart: ICAL.Property,
  zones: Zones,
  index: number,
): CalendarEvent {
  const zone = zoneOf(dtstart, zones)
  const [start] = momentsOf(dtstart, zones)
  const text = (name: string) => String(event.getFirstPropertyValue(name) ?? '')
  const properties = (name: string) => event.getAllProperties(name)
  return {
    uid: text('uid') || `without uid ${index}`,
    sequence: Number(text('sequence')) || 0,
    isFree: text('status').toUpperCase() === 'CANCELLED' || text('transp').toUpperCase() === 'TRANSPARENT',
    zone: start!.isDay ? null : zone,
    start: start!,
    lengthMs: durationOf(event, start!, dtstart, zones),
    rules: properties('rrule').map((rule) => rule.getFirstValue() as ICAL.Recur),
    added: properties('rdate').flatMap((date) => addedOccurrences(date, zones)),
    excluded: properties('exdate').flatMap((date) => existingMoments(date, zones)),
    replaces: properties('recurrence-id').flatMap((date) => momentsOf(date, zones))[0] ?? null,
  }
}

function durationOf(event: ICAL.Component, start: Moment, dtstart: ICAL.Property, zones: Zones): number {
  const dtend = event.getFirstProperty('dtend')
  if (dtend) {
    const [end] = momentsOf(dtend, zones)
    // Not allowed, but some programs write it. The noon of a day is on that day in nearly all time zones.
    if (end!.isDay && !start.isDay) return end!.wall + dayMs / 2 - start.wall
    // By local time where possible: a stay over a clock change is not an hour longer.
    const isSameZone =
      dtend.getFirstParameter('tzid') === dtstart.getFirstParameter('tzid') &&
      end!.time.zone === start.time.zone
    return start.isDay || isSameZone ? end!.wall - start.wall : end!.instant - start.instant
  }
  const duration = event.getFirstPropertyValue('duration')
  if (duration instanceof ICAL.Duration)
    return Math.min(Math.max(duration.toSeconds() * 1_000, 0), maxDurationMs)
  return start.isDay ? dayMs : 0
}

/** An RDATE may be a period, with a length of its own. */
const addedOccurrences = (date: ICAL.Property, zones: Zones) =>
  existingValues<ICAL.Time | ICAL.Period>(date).map((value): [Moment, number | undefined] => {
    if (value instanceof ICAL.Time) return [momentOf(value, zoneOf(date, zones)), undefined]
    const start = momentOf(value.start, zoneOf(date, zones))
    const lengthMs = value.getDuration().toSeconds() * 1_000
    return [start, Math.min(Math.max(lengthMs, 0), maxDurationMs)]
  })

const maxDurationMs = 400 * 366 * dayMs

type Zones = ReadonlyMap<string, Zone>

const existingMoments = (property: ICAL.Property, zones: Zones): Moment[] =>
  existingValues<ICAL.Time>(property).map((time) => momentOf(time, zoneOf(property, zones, time)))

/** @throws UnreadableCalendar for a date that does not exist */
function momentsOf(property: ICAL.Property, zones: Zones): Moment[] {
  const moments = existingMoments(property, zones)
  if (moments.length < property.getValues().length)
    throw new UnreadableCalendar(
      'An event of the calendar has a date that does not exist, such as 30 February, or is not written as 20260701.',
    )
  return moments
}

/** The values whose dates exist: `ical.js` turns 30 February into 2 March, and 2026-07-01 into another year. */
function existingValues<Value>(property: ICAL.Property): Value[] {
  const [, , , ...written] = property.toJSON() as unknown as [
    string,
    object,
    string,
    ...(string | string[])[],
  ]
  const exists = (value: string) => {
    const isDuration = /^[+-]?P/.test(value)
    const time = Date.parse(`${value.slice(0, 10)}T00:00:00Z`)
    return isDuration || (!Number.isNaN(time) && new Date(time).toISOString().startsWith(value.slice(0, 10)))
  }
  return (property.getValues() as Value[]).filter((_, at) => [written[at]!].flat().every(exists))
}

function momentOf(time: ICAL.Time, zone: Zone | null): Moment {
  if (!(time instanceof ICAL.Time)) throw new Error('A time of the calendar is invalid.')
  const wall = wallTimeOf(time)
  return { time, wall, isDay: time.isDate, instant: zone && !time.isDate ? zone.instant(wall) : wall }
}

export function wallTimeOf(time: ICAL.Time): number {
  const date = new Date(0)
  date.setUTCFullYear(time.year, time.month - 1, time.day)
  if (!time.isDate) date.setUTCHours(time.hour, time.minute, time.second)
  if (Number.isNaN(+date)) throw new Error('A time of the calendar is invalid.')
  return +date
}

function zoneOf(property: ICAL.Property, zones: Zones, time?: ICAL.Time): Zone | null {
  const value = time ?? (property.getFirstValue() as ICAL.Time | null)
  if (value instanceof ICAL.Time && value.zone === ICAL.Timezone.utcTimezone) return utc
  const name = property.getFirstParameter('tzid')
  return name ? (findZone(name) ?? zones.get(name) ?? null) : null
}

/** The time zones that a calendar defines itself, for names that are not IANA names. */
function parseZones(components: ICAL.Component[]): Zones {
  const zones = new Map<string, Zone>()
  for (const component of components) {
    const name = String(component.getFirstPropertyValue('tzid') ?? '')
    if (!name || zones.has(name) || !isSimpleZone(component)) continue
    const timezone = new ICAL.Timezone(component)
    zones.set(name, {
      instant: (wall) => wall - timezone.utcOffset(ICAL.Time.fromJSDate(new Date(wall), true)) * 1_000,
      exists: () => true,
    })
  }
  return zones
}

/** Clocks change a few times a year. Other rules of hostile zones would take forever to expand. */
const isSimpleZone = (timezone: ICAL.Component) =>
  timezone.getAllSubcomponents().every((part) =>
    part.getAllProperties('rrule').every((property) => {
      const rule = property.getFirstValue() as ICAL.Recur
      const names = Object.keys(rule.parts)
      return (
        rule.freq === 'YEARLY' && names.every((name) => ['BYMONTH', 'BYDAY', 'BYMONTHDAY'].includes(name))
      )
    }),
  )

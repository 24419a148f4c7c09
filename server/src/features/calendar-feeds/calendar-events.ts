import ICAL from 'ical.js'
import { dayMs, utc, zoneNamed, type Zone } from './local-time.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** One event of a calendar, in numbers. */
export interface CalendarEvent {
  readonly uid: string
  readonly sequence: number
  /** Cancelled, or marked as taking no time. */
  readonly isFree: boolean
  /** Where its clock hangs; null when days and times are those of whoever reads. */
  readonly zone: Zone | null
  readonly start: Moment
  readonly lengthMs: number
  readonly rules: readonly ICAL.Recur[]
  /** With lengths of their own, or none. */
  readonly added: readonly (readonly [start: Moment, lengthMs: number | undefined])[]
  readonly left: readonly Moment[]
  /** The occurrence of a series that this one stands for. */
  readonly replaces: Moment | null
}

export interface Moment {
  readonly time: ICAL.Time
  readonly wall: number
  readonly isDay: boolean
  /** The same for everybody, so that moments of different zones can be compared. */
  readonly instant: number
}

/** A component as the parser leaves it: its name, its properties, what is inside. */
export type Parsed = [name: string, properties: unknown[], inside: Parsed[]]

/**
 * The events of one calendar. One that cannot be understood spoils the whole: its nights must not fall free.
 * Each is taken out of the calendar first: inside, every time would look through all the rest for its zone, and work
 * out the rules of hostile ones.
 */
export function eventsOf([, , inside]: Parsed): CalendarEvent[] {
  const named = (name: string) =>
    inside.filter((part) => part[0] === name).map((part) => new ICAL.Component(part))
  const zones = zonesIn(named('vtimezone'))
  return named('vevent').flatMap((event, place) => {
    const start = event.getFirstProperty('dtstart')
    return start ? [eventOf(event, start, zones, place)] : []
  })
}

function eventOf(event: ICAL.Component, dtstart: ICAL.Property, zones: Zones, place: number): CalendarEvent {
  const zone = zoneOf(dtstart, zones)
  const [start] = momentsOf(dtstart, zones)
  const word = (name: string) => String(event.getFirstPropertyValue(name) ?? '')
  const properties = (name: string) => event.getAllProperties(name)
  return {
    uid: word('uid') || `without a name ${place}`,
    sequence: Number(word('sequence')) || 0,
    isFree: word('status').toUpperCase() === 'CANCELLED' || word('transp').toUpperCase() === 'TRANSPARENT',
    zone: start!.isDay ? null : zone,
    start: start!,
    lengthMs: lengthOf(event, start!, dtstart, zones),
    rules: properties('rrule').map((rule) => rule.getFirstValue() as ICAL.Recur),
    added: properties('rdate').flatMap((date) => addedBy(date, zones)),
    left: properties('exdate').flatMap((date) => existingMoments(date, zones)),
    replaces: properties('recurrence-id').flatMap((date) => momentsOf(date, zones))[0] ?? null,
  }
}

function lengthOf(event: ICAL.Component, start: Moment, dtstart: ICAL.Property, zones: Zones): number {
  const dtend = event.getFirstProperty('dtend')
  if (dtend) {
    const [end] = momentsOf(dtend, zones)
    // By the clock on the wall, where there is one: a stay over the change of clocks is no hour longer.
    const isSameClock =
      dtend.getFirstParameter('tzid') === dtstart.getFirstParameter('tzid') &&
      end!.time.zone === start.time.zone
    return start.isDay || isSameClock ? end!.wall - start.wall : end!.instant - start.instant
  }
  const duration = event.getFirstPropertyValue('duration')
  if (duration instanceof ICAL.Duration) return Math.min(Math.max(duration.toSeconds() * 1_000, 0), longestMs)
  return start.isDay ? dayMs : 0
}

/** An RDATE may be a period, with a length of its own. */
const addedBy = (date: ICAL.Property, zones: Zones) =>
  existingValues<ICAL.Time | ICAL.Period>(date).map((value): [Moment, number | undefined] => {
    if (value instanceof ICAL.Time) return [momentOf(value, zoneOf(date, zones)), undefined]
    const start = momentOf(value.start, zoneOf(date, zones))
    const lengthMs = value.getDuration().toSeconds() * 1_000
    return [start, Math.min(Math.max(lengthMs, 0), longestMs)]
  })

const longestMs = 400 * 366 * dayMs

type Zones = ReadonlyMap<string, Zone>

const existingMoments = (property: ICAL.Property, zones: Zones): Moment[] =>
  existingValues<ICAL.Time>(property).map((time) => momentOf(time, zoneOf(property, zones, time)))

/** @throws UnreadableCalendar for a date that does not exist */
function momentsOf(property: ICAL.Property, zones: Zones): Moment[] {
  const moments = existingMoments(property, zones)
  if (moments.length < property.getValues().length)
    throw new UnreadableCalendar(
      'An event of the calendar has a date that does not exist, such as 30 February.',
    )
  return moments
}

/** `ical.js` turns 30 February into 2 March. */
function existingValues<Value>(property: ICAL.Property): Value[] {
  const [, , , ...written] = property.toJSON() as unknown as [
    string,
    object,
    string,
    ...(string | string[])[],
  ]
  const exists = (value: string) => {
    const time = Date.parse(`${value.slice(0, 10)}T00:00:00Z`)
    return Number.isNaN(time) || new Date(time).toISOString().startsWith(value.slice(0, 10))
  }
  return (property.getValues() as Value[]).filter((_, at) => [written[at]!].flat().every(exists))
}

function momentOf(time: ICAL.Time, zone: Zone | null): Moment {
  if (!(time instanceof ICAL.Time)) throw new Error('A time of the calendar is none.')
  const wall = wallOf(time)
  return { time, wall, isDay: time.isDate, instant: zone && !time.isDate ? zone.instant(wall) : wall }
}

export function wallOf(time: ICAL.Time): number {
  const date = new Date(0)
  date.setUTCFullYear(time.year, time.month - 1, time.day)
  if (!time.isDate) date.setUTCHours(time.hour, time.minute, time.second)
  if (Number.isNaN(+date)) throw new Error('A time of the calendar is none.')
  return +date
}

function zoneOf(property: ICAL.Property, zones: Zones, time?: ICAL.Time): Zone | null {
  const value = time ?? (property.getFirstValue() as ICAL.Time | null)
  if (value instanceof ICAL.Time && value.zone === ICAL.Timezone.utcTimezone) return utc
  const name = property.getFirstParameter('tzid')
  return name ? (zoneNamed(name) ?? zones.get(name) ?? null) : null
}

/** What a calendar itself says of zones whose names the world does not know. */
function zonesIn(components: ICAL.Component[]): Zones {
  const zones = new Map<string, Zone>()
  for (const component of components) {
    const name = String(component.getFirstPropertyValue('tzid') ?? '')
    if (!name || zones.has(name) || !isPlain(component)) continue
    const timezone = new ICAL.Timezone(component)
    zones.set(name, {
      instant: (wall) => wall - timezone.utcOffset(ICAL.Time.fromJSDate(new Date(wall), true)) * 1_000,
      exists: () => true,
    })
  }
  return zones
}

/** Clocks change some times a year; rules of zones that say otherwise would be worked out for ever. */
const isPlain = (timezone: ICAL.Component) =>
  timezone.getAllSubcomponents().every((part) =>
    part.getAllProperties('rrule').every((property) => {
      const rule = property.getFirstValue() as ICAL.Recur
      const names = Object.keys(rule.parts)
      return (
        rule.freq === 'YEARLY' && names.every((name) => ['BYMONTH', 'BYDAY', 'BYMONTHDAY'].includes(name))
      )
    }),
  )

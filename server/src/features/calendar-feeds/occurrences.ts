import type ICAL from 'ical.js'
import { wallOf, type CalendarEvent, type Moment } from './calendar-events.ts'
import { dayOf } from './local-time.ts'

/** When an event begins and how long it lasts, as often as it does before `end`. All are wall times of its zone. */
export function* startsOf(
  event: CalendarEvent,
  versions: readonly CalendarEvent[],
  end: number,
): Generator<[wall: number, lengthMs: number]> {
  const { start, lengthMs, rules, added } = event
  const isLeftOut = leftOut(event, versions)
  if (!isLeftOut(start.wall)) yield [start.wall, lengthMs]
  for (const rule of rules)
    for (const wall of repeated(event, rule, end))
      if (wall !== start.wall && !isLeftOut(wall)) yield [wall, lengthMs]
  for (const [moment, ownMs] of added) if (!isLeftOut(moment.wall)) yield [moment.wall, ownMs ?? lengthMs]
}

function* repeated({ start, zone }: CalendarEvent, rule: ICAL.Recur, end: number): Generator<number> {
  const isOver = limitOf(rule)
  const iterator = rule.iterator(start.time)
  for (let time = iterator.next() as ICAL.Time | null; time; time = iterator.next() as ICAL.Time | null) {
    const wall = wallOf(time)
    if (wall >= end || isOver(wall, zone ? zone.instant(wall) : wall)) return
    yield wall
  }
}

/**
 * Takes the last time out of a rule and compares it here, where zones are known: a limit in UTC would cut off what
 * the clock of the event shows later than that.
 */
function limitOf(rule: ICAL.Recur): (wall: number, instant: number) => boolean {
  const until = rule.until
  if (!until) return () => false
  rule.until = null
  const limit = wallOf(until)
  if (until.isDate) return (wall) => dayOf(wall) > dayOf(limit)
  return (_, instant) => instant > limit
}

/** What a series does not do: excepted dates, and occurrences that another version stands for. */
function leftOut(event: CalendarEvent, versions: readonly CalendarEvent[]): (wall: number) => boolean {
  if (event.replaces) return () => false
  const moments = [...event.left, ...versions.flatMap(({ replaces }) => replaces ?? [])]
  if (moments.length === 0) return () => false
  const byDay = (moment: Moment) => event.start.isDay || moment.isDay
  const days = new Set(moments.filter(byDay).map(({ wall }) => dayOf(wall)))
  const instants = new Set(moments.filter((moment) => !byDay(moment)).map(({ instant }) => instant))
  return (wall) => days.has(dayOf(wall)) || instants.has(event.zone ? event.zone.instant(wall) : wall)
}

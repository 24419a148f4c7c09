import ICAL from 'ical.js'
import { wallOf, type CalendarEvent, type Moment } from './calendar-events.ts'
import { dayOf } from './local-time.ts'
import { expandRule } from './recurrence.ts'

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
  const series = {
    start: start.wall,
    isDay: start.isDay,
    exists: (wall: number) => zone?.exists(wall) ?? true,
  }
  for (const wall of expandRule(rule, series, end)) {
    if (isOver(wall, zone ? zone.instant(wall) : wall)) return
    yield wall
  }
}

/** Whether a time comes after `UNTIL`, which is a day, an instant in UTC, or what the clock of the event shows. */
function limitOf({ until }: ICAL.Recur): (wall: number, instant: number) => boolean {
  if (!until) return () => false
  const limit = wallOf(until)
  if (until.isDate) return (wall) => dayOf(wall) > dayOf(limit)
  const isInstant = until.zone === ICAL.Timezone.utcTimezone
  return (wall, instant) => (isInstant ? instant : wall) > limit
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

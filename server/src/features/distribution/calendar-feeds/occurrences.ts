import ICAL from 'ical.js'
import { wallTimeOf, type CalendarEvent, type Moment } from './calendar-events.ts'
import { dayOf } from './local-time.ts'
import { expandRule } from './recurrence.ts'

/** The occurrences of an event before `end`: the start, as local time of its zone, and the length. */
export function* listOccurrences(
  event: CalendarEvent,
  versions: readonly CalendarEvent[],
  end: number,
): Generator<[wall: number, lengthMs: number]> {
  const { start, lengthMs, rules, added } = event
  const isExcluded = exclusionCondition(event, versions)
  if (!isExcluded(start.wall)) yield [start.wall, lengthMs]
  for (const rule of rules)
    for (const wall of listRuleOccurrences(event, rule, end))
      if (wall !== start.wall && !isExcluded(wall)) yield [wall, lengthMs]
  for (const [moment, ownMs] of added) if (!isExcluded(moment.wall)) yield [moment.wall, ownMs ?? lengthMs]
}

function* listRuleOccurrences(
  { start, zone }: CalendarEvent,
  rule: ICAL.Recur,
  end: number,
): Generator<number> {
  const isOver = untilCondition(rule)
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

/** Whether a time is after `UNTIL`, which is a date, a UTC time, or a local time of the event's zone. */
function untilCondition({ until }: ICAL.Recur): (wall: number, instant: number) => boolean {
  if (!until) return () => false
  const limit = wallTimeOf(until)
  if (until.isDate) return (wall) => dayOf(wall) > dayOf(limit)
  const isInstant = until.zone === ICAL.Timezone.utcTimezone
  return (wall, instant) => (isInstant ? instant : wall) > limit
}

/** Whether an occurrence is excluded by EXDATE, or replaced by another version. */
function exclusionCondition(
  event: CalendarEvent,
  versions: readonly CalendarEvent[],
): (wall: number) => boolean {
  if (event.replaces) return () => false
  const moments = [...event.excluded, ...versions.flatMap(({ replaces }) => replaces ?? [])]
  if (moments.length === 0) return () => false
  const byDay = (moment: Moment) => event.start.isDay || moment.isDay
  const days = new Set(moments.filter(byDay).map(({ wall }) => dayOf(wall)))
  const instants = new Set(moments.filter((moment) => !byDay(moment)).map(({ instant }) => instant))
  return (wall) => days.has(dayOf(wall)) || instants.has(event.zone ? event.zone.instant(wall) : wall)
}

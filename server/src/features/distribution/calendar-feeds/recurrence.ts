import { dayMs, dayOf } from './local-time.ts'
import { ruleDays, type RecurrenceRule } from './recurrence-days.ts'

/** The start of a series as wall time, and whether a wall time exists in its zone. */
interface Series {
  readonly start: number
  /** Whether the series consists of whole days, so that BYHOUR, BYMINUTE and BYSECOND do not apply. */
  readonly isDay: boolean
  exists(wall: number): boolean
}

/**
 * The wall times of a rule from the start of the series until before `end`, in order (RFC 5545, section 3.3.10).
 * A time that does not exist, such as 30 February, is left out and does not count.
 */
export function* expandRule(original: RecurrenceRule, series: Series, end: number): Generator<number> {
  const { start, isDay, exists } = series
  const rule = isDay ? withoutHours(original) : original
  let left = rule.count && rule.count > 0 ? rule.count : Infinity
  for (const period of periods(rule, start, end)) {
    for (const wall of atPositions(period, rule.parts.BYSETPOS)) {
      if (wall < start || !exists(wall)) continue
      if (wall >= end || left-- <= 0) return
      yield wall
    }
    if (left <= 0) return
  }
}

function withoutHours(rule: RecurrenceRule): RecurrenceRule {
  const { freq, interval, wkst, count, parts } = rule
  const { BYHOUR, BYMINUTE, BYSECOND, ...days } = parts
  return { freq, interval, wkst, count, parts: days }
}

/** `BYSETPOS`: 1 is the first of the period, -1 the last. */
function atPositions(period: number[], positions: number[] | undefined): number[] {
  if (!positions) return period
  const picked = positions.map((position) => period.at(position > 0 ? position - 1 : position))
  return [...new Set(picked)].filter((wall) => wall !== undefined).sort((a, b) => a - b)
}

const unitMs: Record<string, number> = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1_000 }

const periods = (rule: RecurrenceRule, start: number, end: number): Iterable<number[]> =>
  rule.freq in unitMs ? shortPeriods(rule, start, end) : longPeriods(rule, start, end)

/** Daily to yearly rules: the days of the rule, each at the times of the rule. */
function* longPeriods(rule: RecurrenceRule, start: number, end: number): Generator<number[]> {
  const { BYHOUR, BYMINUTE, BYSECOND } = rule.parts
  const clock = new Date(start)
  const times: number[] = []
  for (const hour of sorted(BYHOUR) ?? [clock.getUTCHours()])
    for (const minute of sorted(BYMINUTE) ?? [clock.getUTCMinutes()])
      for (const second of sorted(BYSECOND) ?? [clock.getUTCSeconds()])
        times.push(((hour * 60 + minute) * 60 + second) * 1_000)
  for (const days of ruleDays(rule, dayOf(start), dayOf(end)))
    yield days.flatMap((day) => times.map((time) => day * dayMs + time))
}

/** Hourly to secondly rules, on the days of the rule. */
function* shortPeriods(rule: RecurrenceRule, start: number, end: number): Generator<number[]> {
  const { BYHOUR, BYMINUTE, BYSECOND } = rule.parts
  const unit = unitMs[rule.freq]!
  const step = rule.interval * unit
  const first = start - (start % unit)
  const clock = new Date(start)
  const minutes = unit > 60_000 ? (sorted(BYMINUTE) ?? [clock.getUTCMinutes()]) : undefined
  const seconds = unit > 1_000 ? (sorted(BYSECOND) ?? [clock.getUTCSeconds()]) : undefined
  for (const [day] of ruleDays({ ...rule, freq: 'DAILY', interval: 1 }, dayOf(start), dayOf(end))) {
    if (day === undefined) continue
    const begin = Math.max(first, first + Math.ceil((day * dayMs - first) / step) * step)
    for (let wall = begin; wall < (day + 1) * dayMs; wall += step) {
      const time = new Date(wall)
      if (BYHOUR && !BYHOUR.includes(time.getUTCHours())) continue
      if (!minutes && BYMINUTE && !BYMINUTE.includes(time.getUTCMinutes())) continue
      if (!seconds && BYSECOND && !BYSECOND.includes(time.getUTCSeconds())) continue
      yield (minutes ?? [0]).flatMap((minute) =>
        (seconds ?? [0]).map((second) => wall + (minute * 60 + second) * 1_000),
      )
    }
  }
}

/** Without the leap second (60), which `Date` cannot represent. */
const sorted = (numbers: number[] | undefined) =>
  numbers?.filter((number) => number < 60).sort((a, b) => a - b)

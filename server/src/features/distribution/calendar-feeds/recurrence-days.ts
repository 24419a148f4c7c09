import type ICAL from 'ical.js'
import { dayMs } from './local-time.ts'

/** A recurrence rule as `ical.js` parses it. The expansion of `ical.js` does not follow RFC 5545 (decision 10). */
export type RecurrenceRule = Pick<ICAL.Recur, 'freq' | 'interval' | 'wkst' | 'count' | 'parts'>

/** The days of a rule, by period. Each `BY…` part is a condition that the days of a period must meet. */
export function* ruleDays(rule: RecurrenceRule, start: number, last: number): Generator<number[]> {
  const matches = dayCondition(rule, start)
  for (const [from, to] of dayPeriods(rule, start)) {
    if (!(from <= last)) return
    const days: number[] = []
    for (let day = from; day < to; day++) if (matches(day)) days.push(day)
    yield days
  }
}

function* dayPeriods({ freq, interval, wkst }: RecurrenceRule, start: number): Generator<[number, number]> {
  const { year, month } = calendarDay(start)
  if (freq === 'YEARLY')
    for (let at = year; ; at += interval) yield [firstOfMonth(at, 0), firstOfMonth(at + 1, 0)]
  if (freq === 'MONTHLY')
    for (let at = month; ; at += interval) yield [firstOfMonth(year, at), firstOfMonth(year, at + 1)]
  const length = freq === 'WEEKLY' ? 7 : 1
  const from = freq === 'WEEKLY' ? startOfWeek(start, wkst) : start
  for (let at = from; ; at += length * interval) yield [at, at + length]
}

type Condition = (day: number) => boolean

function dayCondition(rule: RecurrenceRule, start: number): Condition {
  const { BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYDAY } = withDefaults(rule, start)
  const conditions: Condition[] = []
  if (BYMONTH) conditions.push((day) => BYMONTH.includes(calendarDay(day).month + 1))
  if (BYMONTHDAY) conditions.push((day) => includesPlace(BYMONTHDAY, placeInMonth(day)))
  if (BYYEARDAY) conditions.push((day) => includesPlace(BYYEARDAY, placeInYear(day)))
  if (BYWEEKNO) conditions.push((day) => includesPlace(BYWEEKNO, weekPlace(day, rule.wkst)))
  if (BYDAY) {
    const perYear = rule.freq === 'YEARLY' && !rule.parts.BYMONTH
    const hasOrdinals = rule.freq === 'YEARLY' || rule.freq === 'MONTHLY'
    const wanted = BYDAY.map((part) => {
      const [, ordinal, name] = /^([+-]?\d*)(\w\w)$/.exec(part)!
      return { weekday: weekdays.indexOf(name!), ordinal: hasOrdinals ? Number(ordinal) : 0 }
    })
    conditions.push((day) => {
      const same = wanted.filter(({ weekday }) => weekday === weekdayOf(day))
      if (same.length === 0) return false
      const [before, after] = perYear ? placeInYear(day) : placeInMonth(day)
      const place: Place = [Math.floor(before / 7), Math.floor(after / 7)]
      return same.some(({ ordinal }) => ordinal === 0 || includesPlace([ordinal], place))
    })
  }
  return (day) => conditions.every((isMet) => isMet(day))
}

/** Parts that a rule leaves out are taken from the first day of the series. */
function withDefaults({ freq, parts }: RecurrenceRule, start: number): RecurrenceRule['parts'] {
  const { month, dayOfMonth } = calendarDay(start)
  const byWeekday = { ...parts, BYDAY: [weekdays[weekdayOf(start)]!] }
  if (parts.BYDAY || freq === 'DAILY') return parts
  if (freq === 'WEEKLY') return byWeekday
  if (parts.BYMONTHDAY || parts.BYYEARDAY) return parts
  if (parts.BYWEEKNO) return byWeekday
  const byMonthDay = { ...parts, BYMONTHDAY: [dayOfMonth] }
  return freq === 'MONTHLY' || parts.BYMONTH ? byMonthDay : { ...byMonthDay, BYMONTH: [month + 1] }
}

/** The number of days (or weeks) before and after a day within its period. */
type Place = readonly [before: number, after: number]

/** 1 is the first, -1 the last. */
const includesPlace = (wanted: readonly number[], [before, after]: Place) =>
  wanted.includes(before + 1) || wanted.includes(-after - 1)

function placeInMonth(day: number): Place {
  const { year, month } = calendarDay(day)
  return [day - firstOfMonth(year, month), firstOfMonth(year, month + 1) - 1 - day]
}

function placeInYear(day: number): Place {
  const { year } = calendarDay(day)
  return [day - firstOfMonth(year, 0), firstOfMonth(year + 1, 0) - 1 - day]
}

/** A week belongs to the year in which it has four days or more: that of its fourth day. */
function weekPlace(day: number, wkst: number): Place {
  const [before, after] = placeInYear(startOfWeek(day, wkst) + 3)
  return [Math.floor(before / 7), Math.floor(after / 7)]
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number) => (((day + 4) % 7) + 7) % 7

/** `wkst` counts from 1, which is Sunday. */
const startOfWeek = (day: number, wkst: number) => day - ((weekdayOf(day) - (wkst - 1) + 7) % 7)

function calendarDay(day: number) {
  const date = new Date(day * dayMs)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), dayOfMonth: date.getUTCDate() }
}

const firstOfMonth = (year: number, month: number) => new Date(0).setUTCFullYear(year, month, 1) / dayMs

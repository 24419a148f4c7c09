import { nightOf, dateOf } from '#schema/nights.ts'
import { termNames, type RateRange, type AvailabilityRange, type TermName } from '#integrations/pms/pms.ts'

/** How many nights, counted from today at the unit, are kept up to date at the PMS. */
export const nightsAhead = 500

/**
 * The calendar of one listing for a range of nights, as arrays of numbers, which are cheap to compare and to store.
 * Null is unknown. Booleans are 0 and 1; a `max_stay` of 0 is no limit.
 */
export interface CalendarGrid {
  /** The first night, as a number. */
  readonly first: number
  readonly rooms: CellValue[]
  readonly plans: Map<string, Record<TermName, CellValue[]>>
}
export type CellValue = number | null

const booleanTerms: ReadonlySet<TermName> = new Set(['closed_to_arrival', 'closed_to_departure', 'stop_sell'])

export const emptyGrid = (first: number, count: number): CalendarGrid => ({
  first,
  rooms: Array<CellValue>(count).fill(null),
  plans: new Map(),
})

export const emptyTerms = (count: number): Record<TermName, CellValue[]> =>
  mapTerms(() => Array<CellValue>(count).fill(null))

const mapTerms = (columnOf: (term: TermName) => CellValue[]) =>
  Object.fromEntries(termNames.map((term) => [term, columnOf(term)])) as Record<TermName, CellValue[]>

/** The same grid with only the first nights. */
export const truncateGrid = ({ first, rooms, plans }: CalendarGrid, count: number): CalendarGrid => ({
  first,
  rooms: rooms.slice(0, count),
  plans: new Map([...plans].map(([plan, terms]) => [plan, mapTerms((term) => terms[term].slice(0, count))])),
})

/** How many nights of the grid are not later than this one; all without it. */
export const nightsTo = ({ first, rooms }: CalendarGrid, last: string | undefined): number =>
  last === undefined ? rooms.length : Math.min(rooms.length, Math.max(0, nightOf(last) - first + 1))

/** The same grid, in which the first nights are unknown. */
export function forgetFirst({ first, rooms, plans }: CalendarGrid, count: number): CalendarGrid {
  const forget = (column: readonly CellValue[]) => column.map((value, at) => (at < count ? null : value))
  const forgotten = [...plans].map(
    ([plan, terms]) => [plan, mapTerms((term) => forget(terms[term]))] as const,
  )
  return { first, rooms: forget(rooms), plans: new Map(forgotten) }
}

/** The terms of a plan; created as unknown when they are missing. */
function getOrAddTerms(values: CalendarGrid, plan: string): Record<TermName, CellValue[]> {
  const known = values.plans.get(plan)
  if (known) return known
  const made = emptyTerms(values.rooms.length)
  values.plans.set(plan, made)
  return made
}

export interface CalendarRuns {
  readonly rooms: AvailabilityRange[]
  readonly rates: RateRange[]
}

/**
 * The changes that bring the PMS from `known` to `desired`: only what differs, equal adjacent nights joined. With
 * `all`, every value. Terms that the provider does not support are left out.
 */
export function diffGrids(
  known: CalendarGrid,
  desired: CalendarGrid,
  terms: readonly TermName[],
  all: boolean,
): CalendarRuns {
  const toSend = (then: readonly CellValue[] | undefined, now: readonly CellValue[]): SentColumn =>
    now.map((value, at) => (all || (then?.[at] ?? null) !== value ? value : undefined))
  const dates = ([from, to]: [number, number]) => ({
    date_from: dateOf(desired.first + from),
    date_to: dateOf(desired.first + to),
  })
  const sentRooms = toSend(known.rooms, desired.rooms)
  const rooms = joinNights([sentRooms]).map((nights) => ({
    ...dates(nights),
    available: sentRooms[nights[0]]!,
  }))
  const rates = [...desired.plans].flatMap(([plan, values]) => {
    const before = known.plans.get(plan)
    const columns = terms
      .map((term) => ({ term, sent: toSend(before?.[term], values[term]) }))
      .filter(({ sent }) => sent.some((value) => value !== undefined))
    return joinNights(columns.map(({ sent }) => sent)).map((nights): RateRange => {
      const given = columns.filter(({ sent }) => sent[nights[0]] !== undefined)
      const cells = given.map(({ term, sent }) => [term, fromCell(term, sent[nights[0]]!)] as const)
      return { plan, ...dates(nights), ...Object.fromEntries(cells) }
    })
  })
  return { rooms, rates }
}

/** The values of nights that are sent; undefined are those that are not. */
type SentColumn = (CellValue | undefined)[]

/** The nights with something to send, as [first, last] of those that follow each other with the same values. */
function joinNights(columns: SentColumn[]): [number, number][] {
  const found: [number, number][] = []
  const count = columns[0]?.length ?? 0
  for (let at = 0; at < count; at++) {
    if (columns.every((sent) => sent[at] === undefined)) continue
    const last = found.at(-1)
    if (last?.[1] === at - 1 && columns.every((sent) => sent[at] === sent[at - 1])) last[1] = at
    else found.push([at, at])
  }
  return found
}

/** Applies runs to the grid; nights outside of it are ignored, and omitted terms stay. */
export function applyRuns(values: CalendarGrid, { rooms, rates }: CalendarRuns): void {
  for (const run of rooms) fillNights(values, run, values.rooms, run.available)
  for (const run of rates) {
    const terms = getOrAddTerms(values, run.plan)
    for (const term of termNames)
      if (run[term] !== undefined) fillNights(values, run, terms[term], toCell(run[term]))
  }
}

/** Sets the nights and terms of these runs to unknown. */
export function forgetRuns(values: CalendarGrid, { rooms, rates }: CalendarRuns): void {
  for (const run of rooms) fillNights(values, run, values.rooms, null)
  for (const run of rates) {
    const terms = values.plans.get(run.plan)
    if (!terms) continue
    for (const term of termNames) if (run[term] !== undefined) fillNights(values, run, terms[term], null)
  }
}

function fillNights(
  { first }: CalendarGrid,
  run: { date_from: string; date_to: string },
  column: CellValue[],
  value: CellValue,
): void {
  const from = Math.max(nightOf(run.date_from) - first, 0)
  const to = Math.min(nightOf(run.date_to) - first, column.length - 1)
  if (from <= to) column.fill(value, from, to + 1)
}

const toCell = (value: number | boolean | null): number => (value === null ? 0 : Number(value))

/** Converts a stored number to the value of the PMS port. */
export function fromCell(term: TermName, value: number): number | boolean | null {
  if (booleanTerms.has(term)) return value === 1
  return term === 'max_stay' && value === 0 ? null : value
}

/**
 * The nights of one month as they are stored: by day of the month, null where nothing is known. What is the same on all
 * days is stored once, as most terms are.
 */
export interface StoredMonth {
  rooms: CellValue[]
  plans: Record<string, Partial<Record<TermName, CellValue[]>>>
}

export const firstOfMonth = (date: string) => `${date.slice(0, 7)}-01`

/** A range of nights from the stored months. */
export function gridFromMonths(
  months: ReadonlyMap<string, StoredMonth>,
  first: number,
  count: number,
): CalendarGrid {
  const values = emptyGrid(first, count)
  for (const [month, { rooms, plans }] of months) {
    const offset = nightOf(month) - first
    const days = daysIn(month)
    copyDays(rooms, days, values.rooms, offset)
    for (const plan in plans) {
      const terms = getOrAddTerms(values, plan)
      for (const term of termNames) copyDays(plans[plan]![term], days, terms[term], offset)
    }
  }
  return values
}

/** The months of a range of nights, with these nights written into the stored values. */
export function monthsFromGrid(
  stored: ReadonlyMap<string, StoredMonth>,
  values: CalendarGrid,
): Map<string, StoredMonth> {
  const entered = new Map<string, StoredMonth>()
  const end = values.first + values.rooms.length
  for (let night = values.first; night < end;) {
    const month = firstOfMonth(dateOf(night))
    const start = nightOf(month)
    const days = daysIn(month)
    const offset = values.first - start
    const before = stored.get(month)
    const plans: StoredMonth['plans'] = {}
    for (const plan of new Set([...Object.keys(before?.plans ?? {}), ...values.plans.keys()])) {
      const now = values.plans.get(plan)
      plans[plan] = mapTerms((term) => daysWith(before?.plans[plan]?.[term], days, now?.[term] ?? [], offset))
    }
    entered.set(month, { rooms: daysWith(before?.rooms, days, values.rooms, offset), plans })
    night = start + days
  }
  return entered
}

const daysIn = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate()

/** Copies the stored days of a month to the grid, in which the month starts at `offset`. */
function copyDays(
  stored: readonly CellValue[] = [null],
  days: number,
  to: CellValue[],
  offset: number,
): void {
  if (stored.length === 1) to.fill(stored[0]!, Math.max(0, offset), Math.max(0, offset + days))
  else copyColumn(stored, to, offset)
}

/** The days of a month with a column of the grid written into them, which starts at `offset` in the month. */
function daysWith(
  stored: readonly CellValue[] | undefined,
  days: number,
  from: readonly CellValue[],
  offset: number,
): CellValue[] {
  let column = from.slice(Math.max(0, -offset), Math.max(0, days - offset))
  if (column.length < days) {
    column = Array<CellValue>(days).fill(null)
    copyDays(stored, days, column, 0)
    copyColumn(from, column, offset)
  }
  return column.every((value) => value === column[0]) ? column.slice(0, 1) : column
}

function copyColumn(from: readonly CellValue[], to: CellValue[], offset: number): void {
  for (let index = Math.max(0, -offset); index < from.length && index + offset < to.length; index++)
    to[index + offset] = from[index] ?? null
}

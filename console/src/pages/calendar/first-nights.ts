import { dayOf } from './nights.ts'
import { tileDates, tileStart, unitsPerTile } from './tile.ts'

export const phoneWidth = '(max-width: 760px)'

const daysBeforeToday = 2

/** The day with which the calendar begins: that of its address, or a little before today. */
export const startDayOf = (from: string | undefined, today: number, isPhone: boolean): number =>
  from ? dayOf(from) : today - (isPhone ? 0 : daysBeforeToday)

/** All units that are not archived, in the order of the calendar. */
export const everyUnit = {
  sort: 'space' as const,
  status: ['active' as const, 'inactive' as const, 'maintenance' as const],
}

/** The nights of the first units: what an address of the calendar asks for first. */
export const nightsOfFirstUnits = <Filter extends object>(filter: Filter, day: number) => ({
  ...filter,
  ...tileDates(tileStart(day)),
  limit: unitsPerTile,
})

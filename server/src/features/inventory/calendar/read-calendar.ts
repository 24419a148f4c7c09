import type { PageRequest } from '#db/paging.ts'
import type { Scope } from '#db/scope.ts'
import { NotFound, semanticError } from '#errors.ts'
import { nightOf } from '#schema/nights.ts'
import { unitCalendar } from './tile.ts'
import { readTile } from './tile-queries.ts'
import { sortValue, type TileFilter } from './tile-filters.ts'

const maxUnits = 100
const maxNights = 400
const maxUnitNights = 20_000

export interface CalendarQuery extends TileFilter {
  readonly from: string
  readonly to: string
  readonly limit?: number
}

/** The parts of the calendar that the caller may see. */
export interface CalendarAccess {
  readonly guests: boolean
  readonly contacts: boolean
  readonly sync: boolean
}

/** The page size: by default the maximum, so that all named units are on one page. @throws Invalid */
export function tileLimit({ from, to, unit_id, limit }: CalendarQuery): number {
  const nights = nightOf(to) - nightOf(from) + 1
  if (nights < 1) throw semanticError('to', 'to must not be before from.')
  if (nights > maxNights) throw semanticError('to', `A request may cover at most ${maxNights} nights.`)
  const named = unit_id && new Set(unit_id).size
  const units = limit ?? (named === undefined ? Math.floor(maxUnitNights / nights) : maxUnits)
  if (Math.min(units, named ?? units) * nights > maxUnitNights)
    throw semanticError(
      'to',
      `A page may contain at most ${maxUnitNights.toLocaleString('en')} nights of all units: use a lower limit.`,
    )
  return Math.min(units, maxUnits)
}

/** A page of the calendar: JSON text of each unit. @throws NotFound */
export async function readCalendar(
  scope: Scope,
  query: CalendarQuery,
  page: PageRequest,
  access: CalendarAccess,
): Promise<{ id: string; sort_value: string; json: string }[]> {
  const { from, to, ...filter } = query
  const { guests: showsGuests, contacts: showsReasons } = access
  const found = await readTile(scope, { filter, from, to, page, showsGuests, showsReasons })
  const { unknown_unit, unknown_space } = found[0]!
  if (unknown_unit) throw new NotFound('unit', unknown_unit)
  if (unknown_space) throw new NotFound('space', unknown_space)
  const nights = { from: nightOf(from), to: nightOf(to) }
  return found.flatMap((row) =>
    row.unit_id === null
      ? []
      : [{ id: row.unit_id, sort_value: sortValue(page, row), json: unitCalendar(row, nights, access.sync) }],
  )
}

import type { Scope } from '#db/scope.ts'
import { Invalid, Malformed, NotFound } from '#errors.ts'
import { nightOf } from '#nights.ts'
import { unitCalendar, type UnitCalendar } from './tile.ts'
import { readTile, spaceExists } from './tile-queries.ts'

const mostUnits = 100
const mostNights = 400
const mostUnitNights = 20_000

export interface CalendarQuery {
  readonly unit_id?: readonly string[]
  readonly space_id?: string
  readonly from: string
  readonly to: string
}

/** The calendar of some units, or of those of a space. @throws NotFound, Malformed, Invalid */
export async function readCalendar(scope: Scope, query: CalendarQuery): Promise<UnitCalendar[]> {
  const { space_id, from, to } = query
  const unitIds = [...new Set(query.unit_id?.map((id) => id.toLowerCase()))]
  if (unitIds.length > 0 === (space_id !== undefined)) throw unclear()
  const nights = nightOf(to) - nightOf(from) + 1
  if (nights < 1) throw wrong('to', 'to must not be before from.')
  if (nights > mostNights) throw wrong('to', `A tile may span ${mostNights} nights at most.`)
  const of = space_id ? { spaceId: space_id } : { unitIds }
  const tile = await readTile(scope, of, { from, to }, mostUnits + 1)
  const known = new Set(tile.map(({ unit_id }) => unit_id))
  const unknown = unitIds.find((id) => !known.has(id))
  if (unknown) throw new NotFound('unit', unknown)
  if (space_id && tile.length === 0 && !(await spaceExists(scope, space_id)))
    throw new NotFound('space', space_id)
  if (tile.length > mostUnits)
    throw wrong('space_id', `A tile may hold ${mostUnits} units: name some of them.`)
  if (tile.length * nights > mostUnitNights)
    throw wrong('to', `A tile may hold ${mostUnitNights.toLocaleString('en')} nights of all its units.`)
  return tile.map((row) => unitCalendar(row, nightOf(from), nightOf(to)))
}

const wrong = (member: string, message: string) =>
  new Invalid('semantic-error', [{ pointer: `/${member}`, code: 'invalid', message }])

function unclear() {
  const message = 'Name units with unit_id, as often as needed, or one space with space_id.'
  return new Malformed('validation-error', message, {
    faults: [{ pointer: '/unit_id', code: 'required', message }],
  })
}

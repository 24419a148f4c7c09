import type { Scope } from '#db/scope.ts'
import { semanticError } from '#errors.ts'
import type { CalendarChange, CalendarPreview } from '#features/inventory/calendar/change-record.ts'
import { changeCalendar, previewCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { shiftDate, weekdayShift } from '#features/inventory/calendar/copy.ts'
import { findSeason, unitsToChange } from './queries.ts'
import { assertOneSelection, maxUnits, type SeasonApplication, type SeasonValue } from './season.ts'

/** Sets the nights of a season for many units, as one change. Past nights are omitted. @throws NotFound, Invalid */
export async function applySeason(
  scope: Scope,
  id: string,
  application: SeasonApplication,
): Promise<CalendarChange> {
  const { season, values, origin } = await expandSeason(scope, id, application)
  const { unit_ids, space_ids, all, years } = application
  const after = { season_id: id, name: season.name, values: season.values, unit_ids, space_ids, all, years }
  return await changeCalendar(scope, values, {
    ...origin,
    changes: [{ field: 'season', before: null, after }],
  })
}

/** @throws NotFound, Invalid */
export async function previewSeason(
  scope: Scope,
  id: string,
  application: SeasonApplication,
): Promise<CalendarPreview> {
  const { values, origin } = await expandSeason(scope, id, application)
  return await previewCalendar(scope, values, origin)
}

/** The values of the season for each unit. */
async function expandSeason(scope: Scope, id: string, application: SeasonApplication) {
  assertOneSelection(application)
  const season = await findSeason(scope, id)
  const unitIds = application.unit_ids ?? (await unitsToChange(scope, application))
  const member = application.unit_ids ? 'unit_ids' : application.space_ids ? 'space_ids' : 'all'
  if (unitIds.length === 0) throw semanticError(member, 'No unit is selected.', 'reference_not_found')
  if (unitIds.length > maxUnits)
    throw semanticError(member, `A season can be applied to at most ${maxUnits.toLocaleString('en')} units.`)
  const ofSeason = season.values.map((value) => inYear(value, application.years ?? 0))
  const values = unitIds.flatMap((unit_id) => ofSeason.map((value) => ({ ...value, unit_id })))
  const pointerOf = (at: number) =>
    member === 'unit_ids' ? `/unit_ids/${Math.floor(at / season.values.length)}` : `/${member}`
  return { season, values, origin: { seasonId: id, pointerOf, skipsPast: true } }
}

/** The value on the same weekdays of another year; it lasts as long. */
function inYear(value: SeasonValue, years: number): SeasonValue {
  const days = weekdayShift(value, years)
  return {
    ...value,
    date_from: shiftDate(value.date_from, days),
    date_to: shiftDate(value.date_to, days),
  }
}

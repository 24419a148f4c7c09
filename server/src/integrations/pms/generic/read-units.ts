import { forEachConcurrently } from '../concurrency.ts'
import type { PmsResponse } from '../send-request.ts'
import type { CallContext } from '../pms-call.ts'
import type { NightRange, RateRange, AvailabilityRange, RemoteUnit, UnitLink } from '../pms.ts'
import { assertSuccess, assertUnit, isUnknownUnit, unexpectedResponse, unitOf } from './responses.ts'
import { unitPath, type Send } from './generic-api.ts'

/** Some servers cut off a longer URL. */
const maxQueryLength = 6_000

/** Reads units and their calendars. @throws PmsFailure */
export async function readUnits(
  send: Send,
  units: readonly UnitLink[],
  nights: NightRange,
  call: CallContext,
): Promise<ReadonlyMap<string, RemoteUnit | null>> {
  const remoteUnits = new Map<string, RemoteUnit | null>(units.map(({ externalId }) => [externalId, null]))
  await forEachConcurrently(units, async ({ externalId }) => {
    const response = await send('units', 'GET', unitPath(externalId), undefined, call)
    if (isUnknownUnit(response)) return
    assertSuccess(response)
    assertUnit(response, externalId)
    const { external_id: _, revision: __, updated_at: ___, ...content } = unitOf(response)!
    remoteUnits.set(externalId, { content, rooms: [], rates: [] })
  })
  const existing = units.filter(({ externalId }) => remoteUnits.get(externalId))
  for (const group of groupByQueryLength(existing)) {
    const query = new URLSearchParams({ from: nights.date_from, to: nights.date_to })
    for (const { externalId } of group) query.append('external_id', externalId)
    const response = await send('calendar', 'GET', `/calendar?${query.toString()}`, undefined, call)
    assertSuccess(response)
    for (const [link, calendar] of parseCalendars(response, group))
      remoteUnits.set(link.externalId, { ...remoteUnits.get(link.externalId)!, ...calendar })
  }
  return remoteUnits
}

function groupByQueryLength(units: readonly UnitLink[]): UnitLink[][] {
  const groups: UnitLink[][] = []
  let groupLength = Infinity
  for (const unit of units) {
    const length = encodeURIComponent(unit.externalId).length + '&external_id='.length
    groupLength += length
    if (groupLength > maxQueryLength) {
      groups.push([])
      groupLength = length
    }
    groups.at(-1)!.push(unit)
  }
  return groups
}

function parseCalendars(response: PmsResponse, links: readonly UnitLink[]) {
  const { units } = (response.body ?? {}) as { units?: unknown }
  if (!Array.isArray(units)) throw unexpectedResponse(response, 'is not a calendar')
  const unitsById = new Map(
    (units as { external_id?: unknown; rooms?: unknown; rates?: unknown }[]).map((unit) => [
      unit.external_id,
      unit,
    ]),
  )
  return links.flatMap((link) => {
    const unit = unitsById.get(link.externalId)
    if (!unit) return []
    const rooms = parseRanges(response, unit.rooms) as readonly AvailabilityRange[]
    return [[link, { rooms, rates: ratesOf(link, parseRanges(response, unit.rates)) }] as const]
  })
}

/** The rates of linked plans, under our ids; the PMS may have other plans. */
function ratesOf({ plans }: UnitLink, ranges: readonly NightRange[]): RateRange[] {
  const planByExternalId = new Map(plans.map(({ plan, externalId }) => [externalId, plan]))
  return ranges.flatMap((range) => {
    const { rate_plan, ...terms } = range as NightRange & { rate_plan: string | null }
    const plan = planByExternalId.get(rate_plan)
    return plan === undefined ? [] : [{ plan, ...terms }]
  })
}

function parseRanges(response: PmsResponse, ranges: unknown): readonly NightRange[] {
  const isRange = (range: Partial<NightRange> | null) =>
    typeof range?.date_from === 'string' && typeof range.date_to === 'string'
  if (Array.isArray(ranges) && (ranges as (Partial<NightRange> | null)[]).every(isRange))
    return ranges as NightRange[]
  throw unexpectedResponse(response, 'is not a calendar')
}

import { fourAtATime } from '../four-at-a-time.ts'
import type { Answer } from '../exchange.ts'
import type { Call } from '../pms-call.ts'
import type { Nights, PlanNights, RoomNights, Shown, UnitLink } from '../pms.ts'
import { confirm, isUnknownUnit, nonsense, refuse, unitOf } from './answers.ts'
import { placeOf } from './names.ts'
import type { Send } from './sandbox-api.ts'

/** An address longer than this is cut off by some servers. */
const longestQuery = 6_000

/** What the PMS shows of these units between two nights. @throws PmsFailure */
export async function readBack(
  send: Send,
  units: readonly UnitLink[],
  nights: Nights,
  call: Call,
): Promise<ReadonlyMap<string, Shown | null>> {
  const shown = new Map<string, Shown | null>(units.map(({ externalId }) => [externalId, null]))
  await fourAtATime(units, async ({ externalId }) => {
    const answer = await send('units', 'GET', placeOf(externalId), undefined, call)
    if (isUnknownUnit(answer)) return
    refuse(answer)
    confirm(answer, externalId)
    const { external_id: _, revision: __, updated_at: ___, ...content } = unitOf(answer)!
    shown.set(externalId, { content, rooms: [], rates: [] })
  })
  const known = units.filter(({ externalId }) => shown.get(externalId))
  for (const group of shortEnough(known)) {
    const query = new URLSearchParams({ from: nights.date_from, to: nights.date_to })
    for (const { externalId } of group) query.append('external_id', externalId)
    const answer = await send('calendar', 'GET', `/calendar?${query.toString()}`, undefined, call)
    refuse(answer)
    for (const [link, calendar] of calendarsIn(answer, group))
      shown.set(link.externalId, { ...shown.get(link.externalId)!, ...calendar })
  }
  return shown
}

function shortEnough(units: readonly UnitLink[]): UnitLink[][] {
  const groups: UnitLink[][] = []
  let length = Infinity
  for (const unit of units) {
    const own = encodeURIComponent(unit.externalId).length + '&external_id='.length
    length += own
    if (length > longestQuery) {
      groups.push([])
      length = own
    }
    groups.at(-1)!.push(unit)
  }
  return groups
}

function calendarsIn(answer: Answer, links: readonly UnitLink[]) {
  const { units } = (answer.body ?? {}) as { units?: unknown }
  if (!Array.isArray(units)) throw nonsense(answer, 'that is not a calendar')
  const found = new Map(
    (units as { external_id?: unknown; rooms?: unknown; rates?: unknown }[]).map((unit) => [
      unit.external_id,
      unit,
    ]),
  )
  return links.flatMap((link) => {
    const unit = found.get(link.externalId)
    if (!unit) return []
    const rooms = runsIn(answer, unit.rooms) as readonly RoomNights[]
    return [[link, { rooms, rates: ratesOf(link, runsIn(answer, unit.rates)) }] as const]
  })
}

/** The rates of the plans that are linked, under our names; the PMS may have others. */
function ratesOf({ plans }: UnitLink, runs: readonly Nights[]): PlanNights[] {
  const ours = new Map(plans.map(({ plan, externalId }) => [externalId, plan]))
  return runs.flatMap((run) => {
    const { rate_plan, ...terms } = run as Nights & { rate_plan: string | null }
    const plan = ours.get(rate_plan)
    return plan === undefined ? [] : [{ plan, ...terms }]
  })
}

function runsIn(answer: Answer, runs: unknown): readonly Nights[] {
  const isRun = (run: Partial<Nights> | null) =>
    typeof run?.date_from === 'string' && typeof run.date_to === 'string'
  if (Array.isArray(runs) && (runs as (Partial<Nights> | null)[]).every(isRun)) return runs as Nights[]
  throw nonsense(answer, 'that is not a calendar')
}

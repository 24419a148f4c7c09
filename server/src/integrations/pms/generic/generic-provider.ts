import { hash } from 'node:crypto'
import type { Egress } from '#egress/egress.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import {
  termNames,
  type NewUnit,
  type Offer,
  type UnitLink,
  type NightRange,
  type RateRange,
  type AvailabilityRange,
  type RemoteUnit,
} from '#integrations/pms/pms.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import { planSupport, type Provider } from '#integrations/pms/pms-provider.ts'
import { genericBookings, genericNoticeReader } from './bookings.ts'
import { push } from './push.ts'
import {
  assertSuccess,
  unexpectedResponse,
  genericApi,
  type Send,
  assertUnit,
  isUnknownUnit,
  unitOf,
  unitPath,
} from './generic-api.ts'
import { forEachConcurrently } from '#integrations/pms/concurrency.ts'
import type { PmsResponse } from '#integrations/pms/send-request.ts'

const contentFields = [
  'name',
  'type',
  'bedrooms',
  'bathrooms',
  'max_guests',
  'quantity',
  'base_price_cents',
  'currency',
  'open',
  'photos',
  'space',
] as const satisfies readonly (keyof UnitContent)[]

/**
 * A PMS that implements our own protocol (docs/generic-pms.md): it holds everything that we know, and has no rate limits.
 * The sandbox has one.
 */
export const genericProvider = (egress: Egress, defaultUrl: string | null): Provider => ({
  name: 'generic',
  terms: termNames,
  ...planSupport.generic,
  stopSellAsNoRooms: false,
  acceptsOurIds: true,
  oneSpacePerTarget: false,
  contentFields,
  budgets: [],
  unitsPerPush: 100,
  unitsPerRead: 100,
  noticeReader: genericNoticeReader,
  connect(target) {
    const send = genericApi(egress, target, defaultUrl)
    return {
      bookings: genericBookings,
      push: (updates, call) => push(send, updates, call),
      readUnits: (units, nights, call) => readUnits(send, units, nights, call),
      listOffers: (call) => listOffers(send, call),
      createUnit: (unit) => Promise.resolve(assignIds(unit)),
      async checkAccess(call) {
        const response = await send('health', 'GET', '/health', undefined, call)
        assertSuccess(response)
        const { status } = (response.body ?? {}) as { status?: unknown }
        if (status !== 'ok') throw unexpectedResponse(response, 'does not report its health')
      },
    }
  },
})

/** Rate plans have no records of their own there, so any id can be linked. */
async function listOffers(send: Send, call: CallContext): Promise<Offer[]> {
  const response = await send('units', 'GET', '/units', undefined, call)
  assertSuccess(response)
  const { units } = (response.body ?? {}) as { units?: unknown }
  if (!Array.isArray(units) || units.includes(null))
    throw unexpectedResponse(response, 'is not a list of units')
  return (units as ({ external_id: string } & UnitContent)[]).map((unit) => ({
    external_id: unit.external_id,
    name: unit.name,
    max_guests: unit.max_guests,
    quantity: unit.quantity,
    currency: unit.currency,
    active: unit.open,
    rate_plans: [],
  }))
}

/** Chooses external ids, the same ones for a retry; the first push creates the unit. */
function assignIds({ plans, linkedIds, idempotencyKey }: NewUnit): UnitLink {
  const planIds = new Set<string>()
  for (const { name } of plans) planIds.add(uniqueId(toSlug(name), planIds))
  const ids = [...planIds]
  return {
    externalId: unitId(idempotencyKey, new Set(linkedIds)),
    plans: plans.map(({ plan }, index) => ({ plan, externalId: ids[index]! })),
  }
}

function unitId(key: string, linkedIds: ReadonlySet<string>): string {
  const id = `V-${hash('sha256', key, 'hex').slice(0, 12)}`
  return linkedIds.has(id) ? unitId(`${key}+`, linkedIds) : id
}

function toSlug(name: string): string {
  const letters = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  return (
    letters
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 100) || 'plan'
  )
}

function uniqueId(id: string, used: ReadonlySet<string>, number = 2): string {
  if (!used.has(id)) return id
  return used.has(`${id}-${number}`) ? uniqueId(id, used, number + 1) : `${id}-${number}`
}

/** Some servers cut off a longer URL. */
const maxQueryLength = 6_000

/** Reads units and their calendars. @throws PmsFailure */
async function readUnits(
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
  if (!Array.isArray(units) || units.includes(null)) throw unexpectedResponse(response, 'is not a calendar')
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

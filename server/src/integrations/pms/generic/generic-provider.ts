import { createHash } from 'node:crypto'
import type { Egress } from '#egress/egress.ts'
import type { CallContext } from '../pms-call.ts'
import { termNames, type NewUnit, type Offer, type UnitContent, type UnitLink } from '../pms.ts'
import { planSupport, type Provider } from '../pms-provider.ts'
import { genericBookings, genericNoticeReader } from './bookings.ts'
import { push } from './push.ts'
import { readUnits } from './read-units.ts'
import { assertSuccess, unexpectedResponse } from './responses.ts'
import { genericApi, type Send } from './generic-api.ts'

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
  bookingPolling: { pollSeconds: null, ackTimeoutSeconds: null },
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
  if (!Array.isArray(units)) throw unexpectedResponse(response, 'is not a list of units')
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
  const id = `V-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
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

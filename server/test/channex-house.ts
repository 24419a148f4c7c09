import assert from 'node:assert/strict'
import { openEgress } from '#egress.ts'
import { channexProvider } from '#outside/pms/channex/channex-provider.ts'
import type { Delivery, Nights, NightTerms, Parcel, UnitContent, UnitLink } from '#outside/pms/pms.ts'
import { startChannex } from '../../sandbox/src/channex.ts'
import { channexCaller } from '../../sandbox/test/channex-caller.ts'
import { loft } from '../../sandbox/test/pms-caller.ts'

export const apiKey = 'key-of-the-house'

export const terms: NightTerms = {
  price_cents: 18_900,
  min_stay_arrival: 1,
  min_stay_through: 1,
  max_stay: null,
  closed_to_arrival: false,
  closed_to_departure: false,
  stop_sell: false,
}

export type House = Awaited<ReturnType<typeof openHouse>>

/** A property at a Channex of its own, with so many room types of so many plans, and our connection to it. */
export async function openHouse({ rooms = 1, plans = 1, currency = 'EUR', timezone = 'UTC' } = {}) {
  const channex = await startChannex()
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const { api, door } = channexCaller(() => channex.url)
  const each = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const room_types = each(rooms, (room) => ({
    title: `Room ${room}`,
    count_of_rooms: 5,
    rate_plans: each(plans, (plan) => ({ title: `Plan ${room}.${plan}` })),
  }))
  const seeded = await door('POST', 'seed', {
    keys: [{ key: apiKey }],
    properties: [{ title: 'Harbour House', currency, timezone, room_types }],
  })
  assert.equal(seeded.status, 201)
  const [{ id: property, room_types: made }] = seeded.body.properties
  const units: UnitLink[] = made.map(({ id, rate_plans }: { id: string; rate_plans: { id: string }[] }) => ({
    externalId: id,
    plans: rate_plans.map(({ id: externalId }, n) => ({ plan: `plan-${n}`, externalId })),
  }))
  const provider = channexProvider(egress)
  const connect = (config: { baseUrl?: string; property?: string; key?: string; timeoutMs?: number } = {}) =>
    provider.connect({
      baseUrl: config.baseUrl ?? channex.url,
      property: config.property ?? property,
      credentials: { api_key: config.key ?? apiKey },
      timeoutMs: config.timeoutMs ?? 10_000,
    })

  return {
    channex,
    provider,
    property: property as string,
    units,
    connect,
    connection: connect(),
    door,
    api: (method: string, path: string, body?: unknown) => api(method, path, body, apiKey),
    /** All that arrived since the last time this was asked, or only what changes something. */
    async calls({ writes = true } = {}): Promise<ArrivedCall[]> {
      const { calls } = (await door('GET', 'calls')).body as { calls: ArrivedCall[] }
      await door('DELETE', 'calls')
      return calls.filter(({ method }) => !writes || method !== 'GET')
    },
    fault: (rule: object) => door('PUT', 'faults', rule),
    noFaults: () => door('DELETE', 'faults'),
    noLimits: () => door('PUT', 'limits', { per_minute: null }),
    async [Symbol.asyncDispose]() {
      await egress.close()
      await channex.close()
    },
  }
}

export interface ArrivedCall {
  method: string
  path: string
  status: number
  traceparent: string | null
  idempotency_key: string | null
  body: { values: Record<string, unknown>[] } & Record<string, Record<string, unknown>>
}

/** The date so many days from now, in UTC. */
export const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export const nights = (from: number, to = from): Nights => ({ date_from: day(from), date_to: day(to) })

export const content: UnitContent = { ...loft, currency: 'eur' }

let parcels = 0
/** A parcel for a unit, in which nothing is said but what is given. */
export const parcel = (unit: UnitLink, says: Partial<Parcel> = {}): Parcel => ({
  id: `parcel-${(parcels += 1)}`,
  ...unit,
  content,
  differing: [],
  rooms: [],
  rates: [],
  idempotencyKey: `key-${parcels}`,
  traceparent: null,
  ...says,
})

/** A parcel that says how many rooms there are on one night. */
export const available = (unit: UnitLink, from = 2, says: Partial<Parcel> = {}): Parcel =>
  parcel(unit, { rooms: [{ ...nights(from), available: 1 }], ...says })

/** The one delivery of a push. */
export function only(deliveries: ReadonlyMap<string, Delivery>): Delivery {
  assert.equal(deliveries.size, 1)
  return [...deliveries.values()][0]!
}

export function allTaken(deliveries: ReadonlyMap<string, Delivery>, parcels: readonly Parcel[]): void {
  assert.equal(deliveries.size, parcels.length)
  for (const { id, rooms, rates } of parcels) {
    const delivery = deliveries.get(id)!
    assert.equal(delivery.failure, null, delivery.failure?.message)
    assert.deepEqual([delivery.tookRooms, delivery.tookRates], [rooms, rates])
    assert.equal(delivery.tookContent, true)
  }
}

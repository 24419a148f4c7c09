import assert from 'node:assert/strict'
import { openEgress } from '#egress/egress.ts'
import { channexProvider } from '#integrations/pms/channex/channex-provider.ts'
import type { UpdateResult, NightTerms, UnitUpdate, UnitLink } from '#integrations/pms/pms.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import { startChannex } from '../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../sandbox/test/channex-caller.ts'
import { loft } from '../../sandbox/test/pms-caller.ts'
import { buildUpdate, nights } from './pms-fixture.ts'

export const apiKey = 'key-of-the-property'

export const terms: NightTerms = {
  price_cents: 18_900,
  min_stay_arrival: 1,
  min_stay_through: 1,
  max_stay: null,
  closed_to_arrival: false,
  closed_to_departure: false,
  stop_sell: false,
}

export type PropertyFixture = Awaited<ReturnType<typeof openPropertyFixture>>

/** Starts a Channex sandbox with a property of this many room types and plans, and connects to it. */
export async function openPropertyFixture({ rooms = 1, plans = 1, currency = 'EUR', timezone = 'UTC' } = {}) {
  const channex = await startChannex()
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const { api, control } = channexCaller(() => channex.url)
  const each = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const room_types = each(rooms, (room) => ({
    title: `Room ${room}`,
    count_of_rooms: 5,
    rate_plans: each(plans, (plan) => ({ title: `Plan ${room}.${plan}` })),
  }))
  const seeded = await control('POST', 'seed', {
    keys: [{ key: apiKey }],
    properties: [{ title: 'Harbour House', currency, timezone, room_types }],
  })
  assert.equal(seeded.status, 201)
  const [{ id: propertyId, room_types: made }] = seeded.body.properties
  const units: UnitLink[] = made.map(({ id, rate_plans }: { id: string; rate_plans: { id: string }[] }) => ({
    externalId: id,
    plans: rate_plans.map(({ id: externalId }, n) => ({ plan: `plan-${n}`, externalId })),
  }))
  const provider = channexProvider(egress)
  const connect = (config: { baseUrl?: string; property?: string; key?: string; timeoutMs?: number } = {}) =>
    provider.connect({
      baseUrl: config.baseUrl ?? channex.url,
      property: config.property ?? propertyId,
      credentials: { api_key: config.key ?? apiKey },
      timeoutMs: config.timeoutMs ?? 10_000,
    })

  return {
    channex,
    provider,
    propertyId: propertyId as string,
    units,
    connect,
    connection: connect(),
    control,
    api: (method: string, path: string, body?: unknown) => api(method, path, body, apiKey),
    /** The calls since the last time, by default only those that change something. */
    async calls({ writes = true } = {}): Promise<ReceivedCall[]> {
      const { calls } = (await control('GET', 'calls')).body as { calls: ReceivedCall[] }
      await control('DELETE', 'calls')
      return calls.filter(({ method }) => !writes || method !== 'GET')
    },
    fault: (rule: object) => control('PUT', 'faults', rule),
    noFaults: () => control('DELETE', 'faults'),
    noLimits: () => control('PUT', 'limits', { per_minute: null }),
    async [Symbol.asyncDispose]() {
      await egress.close()
      await channex.close()
    },
  }
}

export interface ReceivedCall {
  method: string
  path: string
  status: number
  traceparent: string | null
  idempotency_key: string | null
  body: { values: Record<string, unknown>[] } & Record<string, Record<string, unknown>>
}

export const content: UnitContent = { ...loft, currency: 'eur' }

/** An update of a unit with the given members. */
export const updateOf = (unit: UnitLink, fields: Partial<UnitUpdate> = {}) =>
  buildUpdate(unit, { content, ...fields })

/** An update of the available rooms of one night. */
export const availabilityUpdate = (unit: UnitLink, from = 2, fields: Partial<UnitUpdate> = {}): UnitUpdate =>
  updateOf(unit, { rooms: [{ ...nights(from), available: 1 }], ...fields })

/** The only result of a push. */
export function onlyResult(results: ReadonlyMap<string, UpdateResult>): UpdateResult {
  assert.equal(results.size, 1)
  return [...results.values()][0]!
}

export function assertAllAccepted(
  results: ReadonlyMap<string, UpdateResult>,
  updates: readonly UnitUpdate[],
): void {
  assert.equal(results.size, updates.length)
  for (const { id, rooms, rates } of updates) {
    const result = results.get(id)!
    assert.equal(result.failure, null, result.failure?.message)
    assert.deepEqual([result.acceptedRooms, result.acceptedRates], [rooms, rates])
    assert.equal(result.contentAccepted, true)
  }
}

import assert from 'node:assert/strict'
import { startChannex } from '../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../sandbox/test/channex-caller.ts'
import { openHostaway, villa } from '../../sandbox/test/hostaway-caller.ts'
import type { TestCaller } from './caller.ts'
import { canaries, hostawayAccount } from './canaries.ts'
import { plansOf } from './channex-live.ts'
import { openEchoingPms } from './echoing-pms.ts'
import { addListing, addSpace, addTarget, addUnit } from './records.ts'
import type { World } from './world.ts'

export interface ConnectedTarget {
  provider: 'generic' | 'channex' | 'hostaway'
  /** The PMS works, is unreachable, or returns the request with this status. */
  behavior: 'works' | 'away' | 200 | 401 | 404 | 422 | 429 | 500
  targetId: string
  listingId: string
  unitId: string
}

const credentialsOf = {
  generic: { api_key: canaries.generic },
  channex: { api_key: canaries.channex },
  hostaway: { account_id: hostawayAccount, api_key: canaries.hostaway },
} as const
const providers = Object.keys(credentialsOf) as ConnectedTarget['provider'][]
const echoed = [200, 401, 404, 422, 429, 500] as const

/** Starts all sandboxes, with canaries as their keys, and a PMS that returns every key. */
export async function openExternalServices(opened: AsyncDisposableStack) {
  const channex = await startChannex()
  opened.defer(() => channex.close())
  const hostaway = opened.use(await openHostaway())
  const echo = opened.use(await openEchoingPms())
  const { control } = channexCaller(() => channex.url)
  const seeded = await control('POST', 'seed', {
    keys: [{ key: canaries.channex }],
    properties: [
      { title: 'House', currency: 'EUR', room_types: [{ title: 'Room', rate_plans: [{ title: 'Plan' }] }] },
    ],
  })
  assert.equal(seeded.status, 201)
  const account = { account_id: Number(hostawayAccount), api_key: canaries.hostaway }
  await hostaway.control('PUT', 'accounts', account)
  const { body } = await hostaway.control('POST', 'listings', { account_id: account.account_id, ...villa })
  const [property] = seeded.body.properties
  return { channex, hostaway, echo, control, property, villaId: String(body.listing.id) }
}

export type ExternalServices = Awaited<ReturnType<typeof openExternalServices>>

/** A target and a listing for every provider in every behavior. */
export async function connectEverywhere(
  { pms }: World,
  { channex, hostaway, echo, property, villaId }: ExternalServices,
  owner: TestCaller,
): Promise<ConnectedTarget[]> {
  const space = await addSpace(owner)
  const [room] = property.room_types
  const living = { generic: pms.url, channex: channex.url, hostaway: hostaway.url }
  const externalId = { generic: 'room-1', channex: room.id as string, hostaway: villaId }

  const connect = async (
    provider: ConnectedTarget['provider'],
    behavior: ConnectedTarget['behavior'],
    base_url: string,
  ) => {
    const target = await addTarget(owner, {
      config: {
        ...{ provider, base_url, property_ref: property.id, credentials: credentialsOf[provider] },
        ...{ debounce_ms: 0, timeout_ms: 2_000 },
      },
    })
    const unit = await addUnit(owner, { space_id: space.id, base_price_cents: 9_000 })
    const plans = provider === 'channex' ? await plansOf(owner, unit.id) : []
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: behavior === 'works' ? externalId[provider] : '4711',
      rate_plans: plans.map(({ id }) => ({ rate_plan_id: id, external_id: room.rate_plans[0].id })),
    })
    return { provider, behavior, targetId: target.id, listingId: listing.id, unitId: unit.id }
  }
  const connected: ConnectedTarget[] = []
  for (const provider of providers) {
    connected.push(await connect(provider, 'works', living[provider]))
    connected.push(await connect(provider, 'away', 'http://127.0.0.1:1'))
    for (const status of echoed) connected.push(await connect(provider, status, `${echo.url}/${status}`))
  }
  return connected
}

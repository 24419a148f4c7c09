import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'

/** The units of the load, all of them listed at the sandbox PMS. */
export interface Fixtures {
  /** Units with few rooms, so that most bookings conflict. */
  scarce: ListedUnit[]
  /** Units with rooms for all bookings. */
  wide: ListedUnit[]
  /** One for each price workload. */
  priced: ListedUnit[]
}

export interface ListedUnit {
  unitId: string
  listingId: string
  targetId: string
  externalId: string
  quantity: number
}

export async function addFixtures(cluster: Cluster, name = 'A'): Promise<Fixtures> {
  const make = (count: number, kind: string, quantity: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, at): Promise<ListedUnit> => {
        const label = `${name} ${kind} ${at}`
        const { space } = await post(cluster, 'spaces', { name: label })
        const unit = { space_id: space.id, name: label, quantity, base_price_cents: 10_000 }
        const unitId = (await post(cluster, 'units', unit)).unit.id as string
        const target = { channel_type: 'pms', name: label, config: { debounce_ms: 100 } }
        const targetId = (await post(cluster, 'channel-targets', target)).channel_target.id as string
        const externalId = label.replaceAll(' ', '-')
        const listing = { unit_id: unitId, channel_target_id: targetId, external_id: externalId }
        const listingId = (await post(cluster, 'channel-listings', listing)).channel_listing.id as string
        return { unitId, listingId, targetId, externalId, quantity }
      }),
    )
  return {
    scarce: await make(3, 'scarce', 2),
    wide: await make(2, 'wide', 1_000),
    priced: await make(4, 'priced', 1),
  }
}

export async function post({ clients }: Cluster, collection: string, body: object): Promise<Reply['body']> {
  const response = await clients[0]!.attempt({ method: 'POST', path: `/api/v1/${collection}`, body })
  if (response.kind !== 'answered') throw new Error(`${collection}: ${response.why}`)
  if (response.status !== 201) throw new Error(`${collection}: ${response.status} ${response.text}`)
  return response.body
}

/** The same while the product may be unavailable. */
export async function postUntilCreated(
  cluster: Cluster,
  collection: string,
  body: object,
): Promise<Reply['body']> {
  const headers = { 'idempotency-key': randomUUID() }
  for (;;) {
    const response = await cluster.clients[0]!.attempt({
      method: 'POST',
      path: `/api/v1/${collection}`,
      body,
      headers,
    })
    if (response.kind === 'answered' && response.status === 201) return response.body
    if (response.kind === 'answered' && response.status < 500 && response.status !== 409)
      throw new Error(`${collection}: ${response.status} ${response.text}`)
    await sleep(200)
  }
}

import type { Body } from './door.ts'
import type { House } from './house.ts'

/** What the load works on: units of three kinds, all of them listed at the stand-in PMS. */
export interface Stock {
  /** Few rooms that many want: nearly every stay has rivals. */
  scarce: Listed[]
  /** Rooms for everybody. */
  wide: Listed[]
  /** One for each lane that changes prices. */
  priced: Listed[]
}

export interface Listed {
  unitId: string
  listingId: string
  targetId: string
  externalId: string
  quantity: number
}

export async function fillHouse(house: House, name = 'A'): Promise<Stock> {
  const make = (count: number, kind: string, quantity: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, at): Promise<Listed> => {
        const label = `${name} ${kind} ${at}`
        const { space } = await post(house, 'spaces', { name: label })
        const unit = { space_id: space.id, name: label, quantity, base_price_cents: 10_000 }
        const unitId = (await post(house, 'units', unit)).unit.id as string
        const target = { channel_type: 'pms', name: label, config: { debounce_ms: 100 } }
        const targetId = (await post(house, 'channel-targets', target)).channel_target.id as string
        const externalId = label.replaceAll(' ', '-')
        const listing = { unit_id: unitId, channel_target_id: targetId, external_id: externalId }
        const listingId = (await post(house, 'channel-listings', listing)).channel_listing.id as string
        return { unitId, listingId, targetId, externalId, quantity }
      }),
    )
  return {
    scarce: await make(3, 'scarce', 2),
    wide: await make(2, 'wide', 1_000),
    priced: await make(4, 'priced', 1),
  }
}

export async function post({ doors }: House, collection: string, body: object): Promise<Body> {
  const answer = await doors[0]!.ask({ method: 'POST', path: `/api/v1/${collection}`, body })
  if (answer.kind !== 'answered') throw new Error(`${collection}: ${answer.why}`)
  if (answer.status !== 201) throw new Error(`${collection}: ${answer.status} ${answer.text}`)
  return answer.body
}

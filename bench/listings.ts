import pMap from 'p-map'
import type { TestCaller } from '../server/test/caller.ts'
import { addListing, addSpace, addTarget, addUnit } from '../server/test/records.ts'

export interface BenchListing {
  unitId: string
  listingId: string
  targetId: string
  externalId: string
}

interface ListingOptions {
  targets: number
  listingsEach: number
  config?: object
  status?: 'inactive'
}

/** Adds targets with listings through the API. */
export async function addListings(
  operator: TestCaller,
  { targets, listingsEach, config = {}, status }: ListingOptions,
): Promise<BenchListing[]> {
  const added: BenchListing[] = []
  const addTargetWithListings = async (at: number) => {
    const { id: space_id } = await addSpace(operator)
    const { id: channel_target_id } = await addTarget(operator, { config, status })
    for (let n = 0; n < listingsEach; n++) {
      const { id: unit_id } = await addUnit(operator, { space_id, base_price_cents: 10_000 })
      const external_id = `RT-${at}-${n}`
      const { id } = await addListing(operator, { unit_id, channel_target_id, external_id })
      added.push({ unitId: unit_id, listingId: id, targetId: channel_target_id, externalId: external_id })
    }
  }
  await pMap(Array(targets).keys(), addTargetWithListings, { concurrency: 8 })
  return added
}

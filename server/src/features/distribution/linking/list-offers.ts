import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { Connections } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { readOffers, toPmsError } from './read-offers.ts'
import { indexNames } from './name-similarity.ts'
import type { Offer } from './offer.ts'
import { listLinkedListings, listUnlinkedUnits, listMappingsElsewhere, type UnlinkedUnit } from './queries.ts'

/** Lists the rooms at the PMS now, each with the units that it may be. @throws NotFound, PmsError */
export async function listOffers(scope: Scope, connections: Connections, targetId: string): Promise<Offer[]> {
  const target = await getTargetConnection(scope, targetId)
  if (!target) throw new NotFound('channel target', targetId)
  const offered = await readOffers(scope, connections, target).catch((error: unknown) => {
    throw error instanceof PmsFailure ? toPmsError(error) : error
  })
  const [listings, elsewhere, units] = await Promise.all([
    listLinkedListings(scope, targetId),
    listMappingsElsewhere(scope, target),
    listUnlinkedUnits(scope, target),
  ])
  const listingIds = new Map([...elsewhere, ...listings].map(({ external_id, id }) => [external_id, id]))
  const match = createMatcher(units)
  const offers: Offer[] = []
  for (const [index, { rate_plans, ...offer }] of offered.entries()) {
    // A long list is compared in batches, so that other requests are answered in between.
    if (index % 50 === 49) await yieldToEventLoop()
    const channel_listing_id = listingIds.get(offer.external_id) ?? null
    const matches = channel_listing_id ? [] : match(offer)
    const plans = rate_plans.map(({ hasPricesByGuests: _, ...plan }) => plan)
    offers.push({ ...offer, rate_plans: plans, channel_listing_id, matches })
  }
  return offers
}

const minScore = 0.35
const maxMatches = 3

function createMatcher(units: readonly UnlinkedUnit[]) {
  const search = indexNames(
    units.map((unit) => ({ item: unit, names: [unit.name, `${unit.space_name} ${unit.name}`] })),
  )
  return ({ name, max_guests }: { name: string; max_guests: number | null }) =>
    [...search(name)]
      .map(([unit, similarity]) => ({
        unit_id: unit.id,
        name: unit.name,
        score: Math.round(similarity * capacityFactor(unit.max_guests, max_guests) * 100) / 100,
      }))
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score || one.name.localeCompare(other.name))
      .slice(0, maxMatches)
}

/** The number of guests weighs less than the name, because it is often wrong on one side. */
function capacityFactor(ours: number, theirs: number | null): number {
  if (theirs === null) return 0.95
  return ours === theirs ? 1 : 0.85
}

import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { asProblem } from '../channel-targets/pms-problem.ts'
import { lookForTarget } from '../channel-targets/queries.ts'
import { askPms } from './ask-pms.ts'
import { nameLikeness } from './name-likeness.ts'
import type { Offer } from './offer.ts'
import { linkedListings, unlinkedUnits, usedElsewhere, type UnlinkedUnit } from './queries.ts'

/** What the PMS has to link to, as it stands now, and which of our units each may be. @throws NotFound, PmsProblem */
export async function listOffers(scope: Scope, connections: Connections, targetId: string): Promise<Offer[]> {
  const target = await lookForTarget(scope, targetId)
  if (!target) throw new NotFound('channel target', targetId)
  const offered = await askPms(scope, connections, target, (pms, call) => pms.offers(call)).catch(
    (error: unknown) => {
      throw error instanceof PmsFailure ? asProblem(error) : error
    },
  )
  const [linked, elsewhere, units] = await Promise.all([
    linkedListings(scope, targetId),
    usedElsewhere(scope, target),
    unlinkedUnits(scope, target),
  ])
  const users = new Map([...elsewhere, ...linked].map(({ external_id, id }) => [external_id, id]))
  const match = matcher(units)
  const offers: Offer[] = []
  for (const [index, { rate_plans, ...offer }] of offered.entries()) {
    // A long list is compared in pieces, so that other requests are answered meanwhile.
    if (index % 50 === 49) await othersFirst()
    const channel_listing_id = users.get(offer.external_id) ?? null
    const matches = channel_listing_id ? [] : match(offer)
    offers.push({ ...offer, rate_plans: [...rate_plans], channel_listing_id, matches })
  }
  return offers
}

const leastScore = 0.35
const mostMatches = 3

function matcher(units: readonly UnlinkedUnit[]) {
  const likeness = nameLikeness(
    units.map((unit) => ({ thing: unit, names: [unit.name, `${unit.space_name} ${unit.name}`] })),
  )
  return ({ name, max_guests }: { name: string; max_guests: number | null }) =>
    [...likeness(name)]
      .map(([unit, alike]) => ({
        unit_id: unit.id,
        name: unit.name,
        score: Math.round(alike * capacityFactor(unit.max_guests, max_guests) * 100) / 100,
      }))
      .filter(({ score }) => score >= leastScore)
      .sort((one, other) => other.score - one.score || one.name.localeCompare(other.name))
      .slice(0, mostMatches)
}

/** Guests count for less than the name: they are often entered wrongly on one side. */
function capacityFactor(ours: number, theirs: number | null): number {
  if (theirs === null) return 0.95
  return ours === theirs ? 1 : 0.85
}

import { fourAtATime } from '../four-at-a-time.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { Nights, Shown, UnitLink } from '../pms.ts'
import type { Ask } from './conversation.ts'
import { contentOf } from './listing.ts'
import { listingId, type Listings } from './listings.ts'
import { strange } from './refusal.ts'
import { isDay, shownRates, shownRooms, type Day } from './shown-nights.ts'

/** What the listings show now, by external id; null for one that is not there. @throws PmsFailure */
export async function readBack(
  ask: Ask,
  listings: Listings,
  units: readonly UnitLink[],
  nights: Nights,
  call: Call,
): Promise<ReadonlyMap<string, Shown | null>> {
  const byId = await listings.byId(
    units.map(({ externalId }) => listingId(externalId)),
    call,
  )
  const shown = new Map<string, Shown | null>()
  await fourAtATime(units, async ({ externalId, plans }) => {
    const listing = byId.get(listingId(externalId)) ?? null
    const days = listing && (await daysOf(ask, listing.id, nights, call))
    shown.set(
      externalId,
      days && {
        content: contentOf(listing),
        rooms: shownRooms(days),
        rates: plans
          .filter((link) => link.externalId === null)
          .flatMap(({ plan }) => shownRates(days, plan, listing['currencyCode'])),
      },
    )
  })
  return shown
}

async function daysOf(
  ask: Ask,
  id: number,
  { date_from, date_to }: Nights,
  call: Call,
): Promise<Day[] | null> {
  const query = new URLSearchParams({ startDate: date_from, endDate: date_to, includeResources: '0' })
  const question = { method: 'GET', path: `/listings/${id}/calendar?${query}` } as const
  const answer = await ask(question, call).catch((error: unknown) => {
    if (error instanceof PmsFailure && error.code === 'mapping_not_found') return null
    throw error
  })
  if (answer === null) return null
  const { result, exchange } = answer
  if (!Array.isArray(result) || !result.every(isDay)) throw strange({ exchange })
  return result.filter(({ date }) => date >= date_from && date <= date_to)
}

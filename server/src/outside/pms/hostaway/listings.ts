import { fourAtATime } from '../four-at-a-time.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { Ask, Yes } from './conversation.ts'
import { isListing, unitCount, type Listing } from './listing.ts'
import { noListingId, strange } from './refusal.ts'

const pageSize = 100
const mostPages = 1_000
/** How long we rely on a listing having one unit or several before we look again. */
const rememberMs = 15 * 60_000
const mostRemembered = 50_000

/** Whether listings have several units, by account and number: what decides how their rooms are told. */
export type Memory = Map<string, { readonly isMultiUnit: boolean; readonly atMs: number }>

export type Listings = ReturnType<typeof listingsOf>

/** The listings of one account. */
export function listingsOf(ask: Ask, memory: Memory, account: string) {
  const listings = {
    /** All of them, or those whose name contains the words, by the page. @throws PmsFailure */
    async *pages(call: Call, match?: string): AsyncGenerator<{ listings: Listing[]; pagesInAll: number }> {
      const seen = new Set<number>()
      for (let page = 0; page < mostPages; page++) {
        const query = new URLSearchParams({
          limit: String(pageSize),
          offset: String(page * pageSize),
          includeResources: '1',
          ...(match !== undefined && { match }),
        })
        const { result, count, exchange } = await ask({ method: 'GET', path: `/listings?${query}` }, call)
        if (!Array.isArray(result) || !result.every(isListing)) throw strange({ exchange })
        // One that moved between pages may come twice.
        const fresh = result.filter(({ id }) => !seen.has(id))
        for (const listing of fresh) {
          seen.add(listing.id)
          remember(listing)
        }
        yield { listings: fresh, pagesInAll: Math.ceil((count ?? 0) / pageSize) }
        if (result.length < pageSize || fresh.length === 0) return
      }
    },

    /** Null for one that is not there. Pages are read instead where that takes fewer calls. @throws PmsFailure */
    async byId(ids: readonly number[], call: Call): Promise<Map<number, Listing | null>> {
      const wanted = new Set(ids)
      const found = new Map<number, Listing | null>()
      if (wanted.size > 1)
        for await (const { listings: page, pagesInAll } of listings.pages(call)) {
          for (const listing of page) if (wanted.has(listing.id)) found.set(listing.id, listing)
          if (found.size === wanted.size || pagesInAll > wanted.size) break
        }
      const missing = [...wanted].filter((id) => !found.has(id))
      await fourAtATime(missing, async (id) => void found.set(id, await one(id, call)))
      return found
    },

    /** Those of them that have several units; one that is not there has none. @throws PmsFailure */
    async multiUnit(ids: readonly number[], call: Call): Promise<Set<number>> {
      const known = (id: number) => {
        const kept = memory.get(key(id))
        return kept && Date.now() < kept.atMs + rememberMs ? kept.isMultiUnit : undefined
      }
      const before = new Map(ids.map((id) => [id, known(id)]))
      const unknown = ids.filter((id) => before.get(id) === undefined)
      const looked =
        unknown.length > 0 ? await listings.byId(unknown, call) : new Map<number, Listing | null>()
      return new Set(
        ids.filter((id) => {
          const listing = looked.get(id)
          return listing ? unitCount(listing) !== null : before.get(id) === true
        }),
      )
    },

    /** The answer must be this listing. @throws PmsFailure */
    confirmed({ result, exchange }: Yes, id?: number): Listing {
      if (!isListing(result) || (id !== undefined && result.id !== id)) throw strange({ exchange })
      // An answer to a change may come without its resources.
      if (Array.isArray(result['listingUnits'])) remember(result)
      return result
    },
  }
  return listings

  async function one(id: number, call: Call): Promise<Listing | null> {
    const question = { method: 'GET', path: `/listings/${id}?includeResources=1` } as const
    const answer = await ask(question, call).catch((error: unknown) => {
      if (error instanceof PmsFailure && error.code === 'mapping_not_found') return null
      throw error
    })
    if (answer === null) return null
    const listing = listings.confirmed(answer, id)
    remember(listing)
    return listing
  }

  function remember(listing: Listing) {
    memory.set(key(listing.id), { isMultiUnit: unitCount(listing) !== null, atMs: Date.now() })
    if (memory.size > mostRemembered) memory.delete(memory.keys().next().value!)
  }

  function key(id: number) {
    return `${account} ${id}`
  }
}

/** @throws PmsFailure when it cannot be one */
export function listingId(externalId: string): number {
  if (/^[1-9]\d{0,14}$/.test(externalId)) return Number(externalId)
  throw noListingId(externalId)
}

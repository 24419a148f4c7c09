import { forEachConcurrently } from '../concurrency.ts'
import { nullIfNotFound } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import { invalidListingId, unexpectedResponse } from './failures.ts'
import type { HostawayResult, Send } from './hostaway-api.ts'
import { isListing, unitCount, type Listing } from './listing.ts'

const pageSize = 100
const maxPages = 1_000
/** How long a listing is assumed to keep one unit or several. */
const cacheMs = 15 * 60_000
const maxCacheEntries = 50_000

/** Whether listings have several units, by account and id, because that decides how availability is sent. */
export type MultiUnitCache = Map<string, { readonly isMultiUnit: boolean; readonly cachedAtMs: number }>

export type Listings = ReturnType<typeof openListings>

/** The listings of one account. */
export function openListings(send: Send, cache: MultiUnitCache, account: string) {
  const listings = {
    /** One page of all listings, counted from 0, or of those whose name contains the text. @throws PmsFailure */
    async page(index: number, call: CallContext, nameContains?: string) {
      const query = new URLSearchParams({
        limit: String(pageSize),
        offset: String(index * pageSize),
        includeResources: '1',
        ...(nameContains !== undefined && { match: nameContains }),
      })
      const { result, count, exchange } = await send({ method: 'GET', path: `/listings?${query}` }, call)
      if (!Array.isArray(result) || !result.every(isListing)) throw unexpectedResponse({ exchange })
      result.forEach(addToCache)
      const pageCount = Math.ceil((count ?? 0) / pageSize)
      return { found: result, pageCount, isLast: result.length < pageSize }
    },

    /** Pages of all listings, or of those whose name contains the text. @throws PmsFailure */
    async *pages(
      call: CallContext,
      nameContains?: string,
    ): AsyncGenerator<{ listings: Listing[]; pageCount: number }> {
      const seen = new Set<number>()
      for (let index = 0; index < maxPages; index++) {
        const { found, pageCount, isLast } = await listings.page(index, call, nameContains)
        // A listing that moves between pages may appear twice.
        const unseen = found.filter(({ id }) => !seen.has(id))
        for (const { id } of unseen) seen.add(id)
        yield { listings: unseen, pageCount }
        if (isLast || unseen.length === 0) return
      }
    },

    /** Listings by id; null for one that does not exist. Reads pages where that needs fewer calls. @throws PmsFailure */
    async byId(ids: readonly number[], call: CallContext): Promise<Map<number, Listing | null>> {
      const requested = new Set(ids)
      const found = new Map<number, Listing | null>()
      if (requested.size > 1)
        for await (const { listings: page, pageCount } of listings.pages(call)) {
          for (const listing of page) if (requested.has(listing.id)) found.set(listing.id, listing)
          if (found.size === requested.size || pageCount > requested.size) break
        }
      const missing = [...requested].filter((id) => !found.has(id))
      await forEachConcurrently(missing, async (id) => void found.set(id, await fetchListing(id, call)))
      return found
    },

    /** The ids of listings with several units; a listing that does not exist is not among them. @throws PmsFailure */
    async multiUnitIds(ids: readonly number[], call: CallContext): Promise<Set<number>> {
      const cached = new Map(ids.map((id) => [id, fromCache(id)]))
      const uncached = ids.filter((id) => cached.get(id) === undefined)
      const fetched =
        uncached.length > 0 ? await listings.byId(uncached, call) : new Map<number, Listing | null>()
      return new Set(
        ids.filter((id) => {
          const listing = fetched.get(id)
          return listing ? unitCount(listing) !== null : cached.get(id) === true
        }),
      )
    },

    /** The listing in a response. @throws PmsFailure when there is none, or one with another id */
    parse({ result, exchange }: HostawayResult, id?: number): Listing {
      if (!isListing(result) || (id !== undefined && result.id !== id)) throw unexpectedResponse({ exchange })
      // The response to an update may come without the list of units.
      if (Array.isArray(result['listingUnits'])) addToCache(result)
      return result
    },
  }
  return listings

  async function fetchListing(id: number, call: CallContext): Promise<Listing | null> {
    const request = { method: 'GET', path: `/listings/${id}?includeResources=1` } as const
    const response = await send(request, call).catch(nullIfNotFound)
    if (response === null) return null
    const listing = listings.parse(response, id)
    addToCache(listing)
    return listing
  }

  function fromCache(id: number): boolean | undefined {
    const entry = cache.get(cacheKey(id))
    return entry && Date.now() < entry.cachedAtMs + cacheMs ? entry.isMultiUnit : undefined
  }

  function addToCache(listing: Listing) {
    const isMultiUnit = unitCount(listing) !== null
    cache.set(cacheKey(listing.id), { isMultiUnit, cachedAtMs: Date.now() })
    if (cache.size > maxCacheEntries) cache.delete(cache.keys().next().value!)
  }

  function cacheKey(id: number) {
    return `${account} ${id}`
  }
}

/** @throws PmsFailure when the external id is not a number */
export function parseListingId(externalId: string): number {
  if (/^[1-9]\d{0,14}$/.test(externalId)) return Number(externalId)
  throw invalidListingId(externalId)
}

import { hash } from 'node:crypto'
import { fromMajorUnits, isCurrencyCode } from '../pms-amounts.ts'
import { asObject } from '../pms-notice.ts'
import type { PmsPortfolio, PortfolioPhoto, PortfolioSpace, PortfolioUnit } from '../pms-portfolio.ts'
import { readReservations } from './bookings.ts'
import type { Send } from './hostaway-api.ts'
import { isArchived, parseContent, unitCount, type Listing } from './listing.ts'
import type { Listings } from './listings.ts'

/** The listings of an account of Hostaway as a portfolio. */
export const hostawayPortfolio = (send: Send, listings: Listings): PmsPortfolio => ({
  async readUnits(cursor, call) {
    const page = Number(cursor ?? 0)
    const { found, isLast } = await listings.page(page, call)
    return { items: found.map(toUnit), next: isLast ? null : String(page + 1) }
  },

  async readBookings(from, cursor, call) {
    const page = Number(cursor ?? 0)
    const filter = { departureStartDate: from, sortOrder: 'arrivalDate' }
    const { bookings, isLast } = await readReservations(send, filter, page, call)
    return { items: bookings, next: isLast ? null : String(page + 1) }
  },
})

function toUnit(listing: Listing): PortfolioUnit {
  const { id, price, currencyCode } = listing
  return {
    external_id: String(id),
    name: textOf(listing['name']) ?? textOf(listing['internalListingName']) ?? String(id),
    type: null,
    bedrooms: numberOf(listing['bedroomsNumber']),
    bathrooms: numberOf(listing['bathroomsNumber']),
    max_guests: numberOf(listing['personCapacity']),
    quantity: unitCount(listing) ?? 1,
    base_price_cents: fromMajorUnits(price, currencyCode),
    currency: isCurrencyCode(currencyCode) ? currencyCode.toLowerCase() : null,
    active: !isArchived(listing),
    rate_plans: [],
    photos: toPhotos(listing),
    space: toSpace(listing),
    shown: parseContent(listing),
  }
}

/**
 * Hostaway has no properties. Listings with the same address and description share a space: each is pushed the texts of
 * its space, so one with other texts needs a space of its own.
 */
function toSpace(listing: Listing): PortfolioSpace {
  const place = {
    address: textOf(listing['address']),
    city: textOf(listing['city']),
    state: textOf(listing['state']),
    zip: textOf(listing['zipcode']),
    country: textOf(listing['countryCode']),
    timezone: textOf(listing['timeZoneName']),
    description: textOf(listing['description']),
  }
  const key = JSON.stringify([place, listing['currencyCode']])
  const shared = hash('sha256', key, 'base64url').slice(0, 22)
  return { external_id: place.address ? shared : String(listing.id), name: null, ...place, photos: [] }
}

const toPhotos = ({ listingImages }: Listing): PortfolioPhoto[] =>
  (Array.isArray(listingImages) ? listingImages : [])
    .map(asObject)
    .filter(({ url }) => typeof url === 'string')
    .sort((one, other) => Number(one['sortOrder'] ?? 0) - Number(other['sortOrder'] ?? 0))
    .map(({ url, caption }) => ({ url: url as string, description: textOf(caption) }))

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null)
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)

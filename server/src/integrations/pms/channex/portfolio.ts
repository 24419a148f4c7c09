import { isCurrencyCode } from '../pms-amounts.ts'
import type { PmsPortfolio, PortfolioPhoto, PortfolioPlan, PortfolioSpace } from '../pms-portfolio.ts'
import { readPage } from './bookings.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import { belongsToRoom, descriptionOf, photosOf, titleOf } from './content.ts'

/** How far back bookings that are still to come may have been made. */
const maxAgeMs = 3 * 365 * 86_400_000

/** A property of Channex as a portfolio. It is one page of units: few properties have a hundred room types. */
export const channexPortfolio = (api: ChannexApi): PmsPortfolio => ({
  async readUnits(_, call) {
    const property = await api.find('properties', api.property, call)
    const rooms = await api.list('room_types', call)
    const plans = await api.list('rate_plans', call)
    const space = toSpace(property)
    const currency = currencyOf(property)
    return {
      items: rooms.map((room) => ({
        external_id: room.id,
        name: titleOf(room),
        type: room.attributes['room_kind'] === 'dorm' ? 'dorm' : textOf(property, 'property_type'),
        bedrooms: null,
        bathrooms: null,
        max_guests: numberOf(room, 'occ_adults'),
        quantity: numberOf(room, 'count_of_rooms'),
        base_price_cents: null,
        currency,
        active: property.attributes['is_active'] !== false,
        rate_plans: plans
          .filter((plan) => belongsToRoom(plan, room))
          .sort(mainFirst)
          .map(toPlan),
        photos: toPhotos(room),
        space,
      })),
      next: null,
    }

    function toPlan(plan: Resource): PortfolioPlan {
      return { external_id: plan.id, name: titleOf(plan), currency: currencyOf(plan) ?? currency }
    }
  },

  async readBookings(_, cursor, call) {
    const page = Number(cursor ?? 1)
    const since = new Date(Date.now() - maxAgeMs).toISOString().slice(0, -1)
    const filter = { 'filter[inserted_at][gte]': since }
    const { bookings, isEmpty } = await readPage(api, '/bookings', filter, page, call)
    return { items: bookings, next: isEmpty ? null : String(page + 1) }
  },
})

function toSpace(property: Resource): PortfolioSpace {
  const text = (name: string) => textOf(property, name)
  return {
    external_id: property.id,
    name: titleOf(property) || null,
    address: text('address'),
    city: text('city'),
    state: text('state'),
    zip: text('zip_code'),
    country: text('country'),
    timezone: text('timezone'),
    description: descriptionOf(property),
    photos: toPhotos(property),
  }
}

/** A plan that others are derived from comes first. */
const mainFirst = (one: Resource, other: Resource) => Number(isDerived(one)) - Number(isDerived(other))
const isDerived = ({ attributes }: Resource) =>
  typeof attributes['parent_rate_plan_id'] === 'string' || attributes['rate_mode'] === 'derived'

const toPhotos = (resource: Resource): PortfolioPhoto[] =>
  (photosOf(resource) ?? [])
    .filter(({ kind, url }) => (kind ?? 'photo') === 'photo' && typeof url === 'string')
    .sort((one, other) => Number(one['position'] ?? 0) - Number(other['position'] ?? 0))
    .map(({ url, description }) => ({
      url: url as string,
      description: typeof description === 'string' && description !== '' ? description : null,
    }))

function textOf({ attributes }: Resource, name: string): string | null {
  const value = attributes[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function numberOf({ attributes }: Resource, name: string): number | null {
  const value = attributes[name]
  return typeof value === 'number' ? value : null
}

const currencyOf = ({ attributes: { currency } }: Resource) =>
  isCurrencyCode(currency) ? currency.toLowerCase() : null

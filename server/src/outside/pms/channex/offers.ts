import type { Call } from '../pms-call.ts'
import type { Offer } from '../pms.ts'
import type { ChannexApi } from './channex-api.ts'
import { isIn, titleOf } from './content.ts'

/** The room types of the property, each with its rate plans. */
export async function listOffers(api: ChannexApi, call: Call): Promise<Offer[]> {
  const property = await api.find('properties', api.property, call)
  const rooms = await api.list('room_types', call)
  const plans = await api.list('rate_plans', call)
  const currency = currencyOf(property.attributes['currency'])
  return rooms.map((room) => ({
    external_id: room.id,
    name: titleOf(room),
    max_guests: numberOf(room.attributes['occ_adults']),
    quantity: numberOf(room.attributes['count_of_rooms']),
    currency,
    active: property.attributes['is_active'] !== false,
    rate_plans: plans
      .filter((plan) => isIn(plan, room))
      .map((plan) => ({
        external_id: plan.id,
        name: titleOf(plan),
        currency: currencyOf(plan.attributes['currency']) ?? currency,
      })),
  }))
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
const currencyOf = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : null)

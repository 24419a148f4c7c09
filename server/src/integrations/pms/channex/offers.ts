import type { CallContext } from '../pms-call.ts'
import type { Offer } from '../pms.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import { belongsToRoom, titleOf } from './content.ts'

/** The room types of the property, each with its rate plans. */
export async function listOffers(api: ChannexApi, call: CallContext): Promise<Offer[]> {
  const property = await api.find('properties', api.property, call)
  const rooms = await api.list('room_types', call)
  const plans = await api.list('rate_plans', call)
  const currency = toCurrency(property.attributes['currency'])
  return rooms.map((room) => ({
    external_id: room.id,
    name: titleOf(room),
    max_guests: toNumber(room.attributes['occ_adults']),
    quantity: toNumber(room.attributes['count_of_rooms']),
    currency,
    active: property.attributes['is_active'] !== false,
    rate_plans: plans
      .filter((plan) => belongsToRoom(plan, room))
      .map((plan) => ({
        external_id: plan.id,
        name: titleOf(plan),
        currency: toCurrency(plan.attributes['currency']) ?? currency,
        hasPricesByGuests: hasPricesByGuests(plan),
      })),
  }))
}

/** In every other mode Channex derives the further prices from the main one, or the plan from another one. */
const hasPricesByGuests = ({ attributes: { options, rate_mode: mode } }: Resource) =>
  Array.isArray(options) && options.length > 1 && (mode ?? 'manual') === 'manual'

const toNumber = (value: unknown) => (typeof value === 'number' ? value : null)
const toCurrency = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : null)

import type { Account } from './store.ts'
import { isObject, type Given } from './checks.ts'
import { openCollections } from './collections.ts'
import { badRequest } from './errors.ts'

/**
 * Fills an account at once: keys, and properties with their room types and rate plans. Each may bring its id; the
 * answer has the ids in the same shape.
 */
export function seed(account: Account, body: unknown) {
  const { keys = [], properties = [] } = isObject(body) ? body : {}
  const { properties: propertyRecords, room_types: rooms, rate_plans: plans } = openCollections(account)
  const anyCaller = { mayUse: (id: string) => account.properties.has(id), addProperty: () => undefined }

  const created = objectsIn(properties, 'properties').map(({ room_types, ...given }) => {
    const property_id = propertyRecords.create({ property: given }, anyCaller, idOf(given)).data.id
    return {
      id: property_id,
      room_types: objectsIn(room_types, 'room_types').map(({ rate_plans, ...given }) => {
        const room_type = { ...roomTypeDefaults, ...given, property_id }
        const room_type_id = rooms.create({ room_type }, anyCaller, idOf(given)).data.id
        return {
          id: room_type_id,
          rate_plans: objectsIn(rate_plans, 'rate_plans').map((given) => {
            const rate_plan = { options: defaultOptions(room_type), ...given, property_id, room_type_id }
            return { id: plans.create({ rate_plan }, anyCaller, idOf(given)).data.id }
          }),
        }
      }),
    }
  })
  for (const { key, properties = null } of objectsIn(keys, 'keys')) {
    if (typeof key !== 'string' || key === '') throw badRequest('key is text')
    account.save('keys', { id: key, properties: properties as string[] | null })
  }
  return { properties: created }
}

const roomTypeDefaults = {
  count_of_rooms: 1,
  occ_adults: 2,
  occ_children: 0,
  occ_infants: 0,
  default_occupancy: 2,
}

const defaultOptions = ({ occ_adults: occupancy }: Given) => [{ occupancy, is_primary: true, rate: 0 }]

function objectsIn(value: unknown, name: string): Given[] {
  const list = value ?? []
  if (!Array.isArray(list) || !list.every(isObject)) throw badRequest(`${name} is a list of objects`)
  return list
}

function idOf({ id }: Given): string | undefined {
  return typeof id === 'string' ? id : undefined
}

import type { Account } from './store.ts'
import type { Caller } from './access.ts'
import { isObject, type Given } from './checks.ts'
import { listed, filterOf, type Shown } from './list-query.ts'
import { readProperty, showProperty, type Property } from './property.ts'
import { readRatePlan, showRatePlan, type RatePlan } from './rate-plan.ts'
import { badRequest, notFound, unauthorized } from './errors.ts'
import { readRoomType, showRoomType, type RoomType } from './room-type.ts'
import { readWebhook, showWebhook, type Webhook } from './webhook.ts'

export type Collection = ReturnType<typeof openCollections>[CollectionName]
export type CollectionName = 'properties' | 'room_types' | 'rate_plans' | 'webhooks'

/** The resources that are listed, read, created, changed and deleted in the same way. */
export function openCollections(account: Account) {
  const properties = collection<Property>({
    kind: 'properties',
    wrapper: 'property',
    missing: 'resource_not_found',
    propertyOf: ({ id }) => id,
    show: showProperty,
    optionFields: ['id', 'title', 'currency'],
    read: (given, before, _caller, id) => readProperty(given, before, id),
  })
  const roomTypes = collection<RoomType>({
    kind: 'room_types',
    wrapper: 'room_type',
    missing: 'not_found',
    propertyOf: ({ property_id }) => property_id,
    show: showRoomType,
    optionFields: ['id', 'title', 'property_id', 'default_occupancy'],
    read: (given, before, { mayUse }, id) => readRoomType(given, before, mayUse, id),
  })
  const ratePlans = collection<RatePlan>({
    kind: 'rate_plans',
    wrapper: 'rate_plan',
    missing: 'not_found',
    propertyOf: ({ property_id }) => property_id,
    show: showRatePlan,
    optionFields: ['id', 'title', 'property_id', 'room_type_id', 'sell_mode', 'parent_rate_plan_id'],
    read: (given, before, { mayUse }, id) => readRatePlan(given, before, contextOf(mayUse), id),
  })
  const webhooks = collection<Webhook>({
    kind: 'webhooks',
    wrapper: 'webhook',
    missing: 'resource_not_found',
    propertyOf: ({ property_id }) => property_id,
    show: showWebhook,
    optionFields: ['id', 'callback_url'],
    read: (given, before, { mayUse }) => readWebhook(given, before, mayUse),
  })
  return { properties, room_types: roomTypes, rate_plans: ratePlans, webhooks }

  function contextOf(mayUse: Caller['mayUse']) {
    return {
      plans: account.rate_plans.values(),
      currencyOf: (propertyId: string) => account.properties.get(propertyId)?.currency,
      roomType(id: string) {
        const room = account.room_types.get(id)
        return room && mayUse(room.property_id) ? room : undefined
      },
    }
  }

  function collection<T extends { id: string }>({
    kind,
    wrapper,
    missing,
    propertyOf,
    show,
    optionFields,
    read,
  }: CollectionOptions<T>) {
    const records = account[kind] as unknown as Map<string, T>
    const save = (record: T) => account.save(kind, record as never) as unknown as T

    const find = (id: string, { mayUse }: Caller): T => {
      const record = records.get(id) ?? throwNotFound()
      const property = propertyOf(record)
      if (property !== null && !mayUse(property)) throw unauthorized()
      return record
    }
    const visible = ({ mayUse }: Caller) =>
      [...records.values()].filter((record) => {
        const property = propertyOf(record)
        return property === null || mayUse(property)
      })
    const references = (id: string): Given => ({ ...records.get(id) })
    const throwNotFound = () => {
      throw notFound(missing)
    }

    return {
      list: (query: URLSearchParams, caller: Caller) =>
        listed(visible(caller).map(show), query, 'title', references),

      /** All of them with a few attributes each. */
      options(query: URLSearchParams, caller: Caller) {
        const found = visible(caller).map(show).filter(filterOf(query, references))
        return {
          data: found.map(({ id, type }) => ({ id, type, attributes: pick(references(id), optionFields) })),
        }
      },

      show: (id: string, caller: Caller) => ({ data: show(find(id, caller)) }),

      create: (body: unknown, caller: Caller, id?: string) => ({
        data: show(make(save(read(unwrap(body, wrapper), undefined, caller, id)), caller)),
      }),

      change: (id: string, body: unknown, caller: Caller) => ({
        data: show(save(read(unwrap(body, wrapper), find(id, caller), caller))),
      }),

      remove(id: string, caller: Caller) {
        account.remove(kind, find(id, caller).id)
        return { meta: { message: 'Success' } }
      },
    }

    function make(record: T, caller: Caller): T {
      if (kind === 'properties') caller.addProperty(record.id)
      return record
    }
  }
}

type CollectionOptions<T> = {
  kind: CollectionName
  /** The member of a body that holds the fields. */
  wrapper: string
  /** The code of a 404. */
  missing: string
  /** The property it belongs to; null if it belongs to the account. */
  propertyOf: (record: T) => string | null
  show: (record: T) => Shown
  optionFields: string[]
  read: (given: Given, before: T | undefined, caller: Caller, id?: string) => T
}

function unwrap(body: unknown, wrapper: string): Given {
  const given = isObject(body) ? body[wrapper] : undefined
  if (!isObject(given)) throw badRequest(`${wrapper} is required`)
  return given
}

function pick(record: Given, names: string[]) {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]))
}

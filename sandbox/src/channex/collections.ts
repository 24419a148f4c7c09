import type { Account } from './account.ts'
import type { Caller } from './caller.ts'
import { isObject, type Given } from './checks.ts'
import { listed, sieve, type Shown } from './listing.ts'
import { readProperty, showProperty, type Property } from './property.ts'
import { readRatePlan, showRatePlan, type RatePlan } from './rate-plan.ts'
import { badRequest, notFound, unauthorized } from './rejection.ts'
import { readRoomType, showRoomType, type RoomType } from './room-type.ts'
import { readWebhook, showWebhook, type Webhook } from './webhook.ts'

export type Collection = ReturnType<typeof openCollections>[CollectionName]
export type CollectionName = 'properties' | 'room_types' | 'rate_plans' | 'webhooks'

/** What is listed, read, made and changed in one and the same way. */
export function openCollections(account: Account) {
  const properties = collection<Property>({
    kind: 'properties',
    wrapper: 'property',
    missing: 'resource_not_found',
    homeOf: ({ id }) => id,
    show: showProperty,
    brief: ['id', 'title', 'currency'],
    read: (given, before, _caller, id) => readProperty(given, before, id),
  })
  const roomTypes = collection<RoomType>({
    kind: 'room_types',
    wrapper: 'room_type',
    missing: 'not_found',
    homeOf: ({ property_id }) => property_id,
    show: showRoomType,
    brief: ['id', 'title', 'property_id', 'default_occupancy'],
    read: (given, before, { mayUse }, id) => readRoomType(given, before, mayUse, id),
  })
  const ratePlans = collection<RatePlan>({
    kind: 'rate_plans',
    wrapper: 'rate_plan',
    missing: 'not_found',
    homeOf: ({ property_id }) => property_id,
    show: showRatePlan,
    brief: ['id', 'title', 'property_id', 'room_type_id', 'sell_mode', 'parent_rate_plan_id'],
    read: (given, before, { mayUse }, id) => readRatePlan(given, before, surroundings(mayUse), id),
  })
  const webhooks = collection<Webhook>({
    kind: 'webhooks',
    wrapper: 'webhook',
    missing: 'resource_not_found',
    homeOf: ({ property_id }) => property_id,
    show: showWebhook,
    brief: ['id', 'callback_url'],
    read: (given, before, { mayUse }) => readWebhook(given, before, mayUse),
  })
  return { properties, room_types: roomTypes, rate_plans: ratePlans, webhooks }

  function surroundings(mayUse: Caller['mayUse']) {
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
    homeOf,
    show,
    brief,
    read,
  }: Ways<T>) {
    const records = account[kind] as unknown as Map<string, T>
    const save = (record: T) => account.save(kind, record as never) as unknown as T

    const find = (id: string, { mayUse }: Caller): T => {
      const record = records.get(id) ?? notThere()
      const home = homeOf(record)
      if (home !== null && !mayUse(home)) throw unauthorized()
      return record
    }
    const visible = ({ mayUse }: Caller) =>
      [...records.values()].filter((record) => {
        const home = homeOf(record)
        return home === null || mayUse(home)
      })
    const references = (id: string): Given => ({ ...records.get(id) })
    const notThere = () => {
      throw notFound(missing)
    }

    return {
      list: (query: URLSearchParams, caller: Caller) =>
        listed(visible(caller).map(show), query, 'title', references),

      /** All of them in a few words. */
      options(query: URLSearchParams, caller: Caller) {
        const asked = visible(caller).map(show).filter(sieve(query, references))
        return {
          data: asked.map(({ id, type }) => ({ id, type, attributes: inBrief(references(id), brief) })),
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
      if (kind === 'properties') caller.made(record.id)
      return record
    }
  }
}

type Ways<T> = {
  kind: CollectionName
  /** The member of a body that holds the fields. */
  wrapper: string
  /** The code of a 404. */
  missing: string
  /** The property it belongs to, or null if it is the account's. */
  homeOf: (record: T) => string | null
  show: (record: T) => Shown
  brief: string[]
  read: (given: Given, before: T | undefined, caller: Caller, id?: string) => T
}

function unwrap(body: unknown, wrapper: string): Given {
  const given = isObject(body) ? body[wrapper] : undefined
  if (!isObject(given)) throw badRequest(`${wrapper} is required`)
  return given
}

function inBrief(record: Given, names: string[]) {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]))
}

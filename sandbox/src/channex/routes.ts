import type { Received } from '../json-http.ts'
import type { Account } from './account.ts'
import { showBooking, showRevision, type Bookings } from './bookings.ts'
import type { Caller } from './caller.ts'
import { isObject } from './checks.ts'
import type { Clock } from './clock.ts'
import { openCollections, type Collection } from './collections.ts'
import type { Deliveries } from './deliveries.ts'
import type { Limits } from './limits.ts'
import { listed } from './listing.ts'
import { showTask, takeMessage, type Tasks } from './messages.ts'
import { readBackAvailability, readBackRestrictions } from './read-back.ts'
import { notFound, rejectionOf, unauthorized } from './rejection.ts'
import type { openNightNotices } from './night-notices.ts'
import type { Revision } from './revision.ts'
import { readWebhook } from './webhook.ts'

export type Parts = {
  account: Account
  applyAndTell: ReturnType<typeof openNightNotices>
  bookings: Bookings
  clock: Clock
  deliveries: Deliveries
  limits: Limits
  tasks: Tasks
}

export type Asked = { method: string; path: string; query: URLSearchParams; received: Received }

export type Reply = { status: number; body: unknown }

const success = { meta: { message: 'Success' } }
const noMore = () => ({})

/** What Channex answers to a caller whose key is good. */
export function openRoutes(parts: Parts) {
  const { account, bookings, clock, deliveries, limits, tasks } = parts
  const collections = openCollections(account)

  return async function reply(asked: Asked, caller: Caller): Promise<Reply> {
    const { method, path, query } = asked
    const [, name = '', id, action, ...rest] = path.split('/')
    if (rest.length > 0) throw notFound()
    if (name === 'availability' || name === 'restrictions') {
      if (id !== undefined) throw notFound()
      const nowMs = clock.nowMs()
      const site = { account, mayUse: caller.mayUse, nowMs }
      if (method === 'POST') return ok(takeMessage(name, bodyOf(asked), site, limits, tasks))
      if (method !== 'GET') throw notFound()
      const readBack = name === 'availability' ? readBackAvailability : readBackRestrictions
      return ok(readBack(query, { account, caller, nowMs }))
    }
    if (name === 'tasks' && method === 'GET' && id && !action) return ok({ data: task(id, caller) })
    if (name === 'bookings' && method === 'GET' && !action) return ok(answerBookings(id, query, caller))
    if (name === 'booking_revisions') return ok(answerRevisions(asked, caller, id, action))
    if (name === 'webhooks' && id === 'test' && method === 'POST' && !action) return tryWebhook(asked, caller)
    if (action === undefined && Object.hasOwn(collections, name))
      return answerCollection(collections[name as keyof typeof collections], asked, caller, id)
    throw notFound()
  }

  function task(id: string, { mayUse }: Caller) {
    const found = tasks.find(id)
    if (!found || !mayUse(found.propertyId)) throw notFound()
    return showTask(found)
  }

  function answerBookings(id: string | undefined, query: URLSearchParams, caller: Caller) {
    if (id !== undefined) return { data: showBooking(opened(bookings.find(id), caller)) }
    return listed(seen(bookings.all(), caller).map(showBooking), query, 'inserted_at', noMore)
  }

  function answerRevisions({ method, query }: Asked, caller: Caller, id?: string, action?: string) {
    if (id !== undefined && action === 'ack' && method === 'POST') {
      bookings.acknowledge(opened(bookings.revision(id), caller))
      return success
    }
    if (method !== 'GET' || action !== undefined) throw notFound()
    if (id !== undefined && id !== 'feed')
      return { data: showRevision(opened(bookings.revision(id), caller)) }
    const found = id === 'feed' ? bookings.feed() : [...account.revisions.values()]
    return listed(seen(found, caller).map(showRevision), query, 'inserted_at', noMore)
  }

  async function tryWebhook(asked: Asked, caller: Caller): Promise<Reply> {
    const body = bodyOf(asked)
    const given = isObject(body) && isObject(body['webhook']) ? body['webhook'] : isObject(body) ? body : {}
    const webhook = readWebhook({ event_mask: '*', ...given }, undefined, caller.mayUse)
    const timestamp = new Date(clock.nowMs()).toISOString()
    const notice = { event: 'test', property_id: webhook.property_id, user_id: null, timestamp }
    return ok(await deliveries.try(webhook, notice))
  }
}

function answerCollection(records: Collection, asked: Asked, caller: Caller, id: string | undefined): Reply {
  const { query } = asked
  switch (`${asked.method} ${id === undefined ? 'all' : id === 'options' ? 'options' : 'one'}`) {
    case 'GET all':
      return ok(records.list(query, caller))
    case 'GET options':
      return ok(records.options(query, caller))
    case 'POST all':
      return { status: 201, body: records.create(bodyOf(asked), caller) }
    case 'GET one':
      return ok(records.show(String(id), caller))
    case 'PUT one':
      return ok(records.change(String(id), bodyOf(asked), caller))
    case 'DELETE one':
      return ok(records.remove(String(id), caller))
    default:
      throw notFound()
  }
}

function bodyOf({ received: { value, refusal } }: Asked): unknown {
  if (refusal) throw rejectionOf(refusal)
  return value
}

function opened(revision: Revision, { mayUse }: Caller): Revision {
  if (!mayUse(revision.property_id)) throw unauthorized()
  return revision
}

function seen(revisions: Revision[], { mayUse }: Caller): Revision[] {
  return revisions.filter((revision) => mayUse(revision.property_id))
}

const ok = (body: unknown): Reply => ({ status: 200, body })

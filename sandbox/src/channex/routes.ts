import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { CallSubject } from '../http/apply-fault.ts'
import { bodyValue, headerOf, HttpError, pathOf, queryOf, requireBody } from '../http/request.ts'
import { identify, type Caller, type Limits } from './access.ts'
import { showBooking, showRevision, type Bookings } from './bookings.ts'
import { isObject } from './checks.ts'
import type { Clock } from './clock.ts'
import { openCollections } from './collections.ts'
import type { ApplyAndNotify, Deliveries } from './deliveries.ts'
import { bodyError, notFound, unauthorized } from './errors.ts'
import { listed } from './list-query.ts'
import { showTask, acceptMessage, type MessageKind, type Tasks } from './messages.ts'
import { readBackAvailability, readBackRestrictions } from './read-back.ts'
import type { Revision } from './revision.ts'
import type { Account } from './store.ts'
import { readWebhook } from './webhook.ts'

export interface Channex {
  account: Account
  bookings: Bookings
  clock: Clock
  deliveries: Deliveries
  limits: Limits
  applyAndNotify: ApplyAndNotify
  tasks: Tasks
}

type Handler = (request: FastifyRequest, caller: Caller, reply: FastifyReply) => unknown

const success = { meta: { message: 'Success' } }
const noReferences = () => ({})

/** The routes under `/api/v1`. The key is checked before the path. */
export function addChannexRoutes(app: FastifyInstance, channex: Channex) {
  const { account, bookings, clock, deliveries, limits, tasks } = channex
  const authorized = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) =>
    handler(request, identify(headerOf(request, 'user-api-key'), account), reply)

  app.setNotFoundHandler(
    authorized(() => {
      throw notFound()
    }),
  )

  const route = (method: HTTPMethods, path: string, handler: Handler) =>
    app.route({ method, url: `/api/v1${path}`, handler: authorized(handler) })

  route('POST', '/availability', acceptValues('availability'))
  route('POST', '/restrictions', acceptValues('restrictions'))
  route('GET', '/availability', (request, caller) =>
    readBackAvailability(queryOf(request), { account, caller, nowMs: clock.nowMs() }),
  )
  route('GET', '/restrictions', (request, caller) =>
    readBackRestrictions(queryOf(request), { account, caller, nowMs: clock.nowMs() }),
  )
  route('GET', '/tasks/:id', (request, { mayUse }) => {
    const task = tasks.find(idOf(request))
    if (!task || !mayUse(task.propertyId)) throw notFound()
    return { data: showTask(task) }
  })

  route('GET', '/bookings', (request, caller) =>
    listed(visible(bookings.all(), caller).map(showBooking), queryOf(request), 'inserted_at', noReferences),
  )
  route('GET', '/bookings/:id', (request, caller) => ({
    data: showBooking(checked(bookings.find(idOf(request)), caller)),
  }))
  route(
    'GET',
    '/booking_revisions',
    listRevisions(() => [...account.revisions.values()]),
  )
  route(
    'GET',
    '/booking_revisions/feed',
    listRevisions(() => bookings.feed()),
  )
  route('GET', '/booking_revisions/:id', (request, caller) => ({
    data: showRevision(checked(bookings.revision(idOf(request)), caller)),
  }))
  route('POST', '/booking_revisions/:id/ack', (request, caller) => {
    bookings.acknowledge(checked(bookings.revision(idOf(request)), caller))
    return success
  })

  route('POST', '/webhooks/test', (request, { mayUse }) => {
    const body = bodyOf(request)
    const given = isObject(body) ? (isObject(body['webhook']) ? body['webhook'] : body) : {}
    const webhook = readWebhook({ event_mask: '*', ...given }, undefined, mayUse)
    const timestamp = new Date(clock.nowMs()).toISOString()
    const notice = { event: 'test', property_id: webhook.property_id, user_id: null, timestamp }
    return deliveries.try(webhook, notice)
  })

  for (const [name, records] of Object.entries(openCollections(account))) {
    route('GET', `/${name}`, (request, caller) => records.list(queryOf(request), caller))
    route('GET', `/${name}/options`, (request, caller) => records.options(queryOf(request), caller))
    route('POST', `/${name}`, (request, caller, reply) => {
      reply.code(201)
      return records.create(bodyOf(request), caller)
    })
    route('GET', `/${name}/:id`, (request, caller) => records.show(idOf(request), caller))
    route('PUT', `/${name}/:id`, (request, caller) => records.change(idOf(request), bodyOf(request), caller))
    route('DELETE', `/${name}/:id`, (request, caller) => records.remove(idOf(request), caller))
  }

  function acceptValues(kind: MessageKind): Handler {
    return (request, { mayUse }) =>
      acceptMessage(kind, bodyOf(request), { account, mayUse, nowMs: clock.nowMs() }, limits, tasks)
  }

  function listRevisions(find: () => Revision[]): Handler {
    return (request, caller) =>
      listed(visible(find(), caller).map(showRevision), queryOf(request), 'inserted_at', noReferences)
  }
}

/** What the log of calls and the rules of faults know of a call: the property it names first, the id in its path. */
export function subjectOf(request: FastifyRequest): CallSubject {
  const path = pathOf(request)
  return {
    path: request.url,
    property: propertyOf(path, queryOf(request), bodyValue(request)),
    external_id: path.split('/')[4] ?? null,
  }
}

function propertyOf(path: string, query: URLSearchParams, body: unknown): string | null {
  const [, named] = /^\/api\/v1\/properties\/([^/]+)$/.exec(path) ?? []
  const [first] = isObject(body) ? ((body['values'] ?? Object.values(body)) as unknown[]) : []
  const inBody = isObject(first) ? first['property_id'] : undefined
  return named ?? query.get('filter[property_id]') ?? (typeof inBody === 'string' ? inBody : null)
}

export function bodyOf(request: FastifyRequest): unknown {
  try {
    return requireBody(request)
  } catch (error) {
    throw error instanceof HttpError ? bodyError(error) : error
  }
}

const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id

function checked(revision: Revision, { mayUse }: Caller): Revision {
  if (!mayUse(revision.property_id)) throw unauthorized()
  return revision
}

const visible = (revisions: Revision[], { mayUse }: Caller) =>
  revisions.filter((revision) => mayUse(revision.property_id))

import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallSubject } from '../http/apply-fault.ts'
import { bodyText, bodyValue, headerOf, HttpError, pathOf, queryOf, requireBody } from '../http/request.ts'
import { addMethods } from '../http/server.ts'
import {
  maxCalendarBytes,
  showCalendar,
  acceptCalendar,
  unitsNamed,
  type ValueRefusals,
} from './calendar-routes.ts'
import type { IdempotencyMark, Store } from './store.ts'
import { readChange, readUnit } from './unit.ts'

interface Params {
  property: string
  externalId: string
}

const calendarPath = '/properties/:property/calendar'

/** The routes of a PMS that works; `valueRefusals` finds the values of a calendar that a rule of faults refuses. */
export function addPmsRoutes(app: FastifyInstance, store: Store, valueRefusals: ValueRefusals) {
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.url !== '/health') checkKey(request)
    done()
  })
  app.setNotFoundHandler(unknownPath)

  const showHealth = () => ({ status: 'ok' })
  addMethods(app, '/health', { GET: showHealth }, methodNotAllowed)
  addMethods(app, '/properties/:property/health', { GET: showHealth }, methodNotAllowed)
  addMethods(
    app,
    '/properties/:property/units',
    { GET: (request) => ({ units: store.list(paramsOf(request).property) }) },
    methodNotAllowed,
  )
  addMethods(
    app,
    '/properties/:property/units/:externalId',
    {
      GET(request) {
        const { property, externalId } = paramsOf(request)
        return { unit: store.find(property, externalId) ?? unknownUnit() }
      },
      PUT: (request, reply) => putOrPatchUnit(request, reply),
      PATCH: (request, reply) => putOrPatchUnit(request, reply),
    },
    methodNotAllowed,
  )
  addMethods(
    app,
    calendarPath,
    {
      GET: (request) => showCalendar(paramsOf(request).property, queryOf(request), store),
      POST(request, reply) {
        const { property } = paramsOf(request)
        return withIdempotency(request, reply, (mark) =>
          acceptCalendar(property, bodyValue(request), mark, store, valueRefusals),
        )
      },
    },
    methodNotAllowed,
    { bodyLimit: maxCalendarBytes },
  )

  function putOrPatchUnit(request: FastifyRequest, reply: FastifyReply) {
    const { property, externalId } = paramsOf(request)
    return withIdempotency(request, reply, (mark) => {
      const body = bodyValue(request)
      const before = store.find(property, externalId)
      if (request.method === 'PUT')
        return { unit: store.save(property, externalId, readUnit(body, externalId), mark) }
      return { unit: store.save(property, externalId, readChange(body, before ?? unknownUnit()), mark) }
    })
  }

  /** The same idempotency key gets the same answer, and with another request an error. */
  function withIdempotency(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (mark: IdempotencyMark | undefined) => object,
  ) {
    requireBody(request)
    const key = headerOf(request, 'idempotency-key')
    if (key === undefined) return work(undefined)
    const mark = { key, digest: digestOf(request) }
    const kept = store.findReply(paramsOf(request).property, key)
    if (!kept) return work(mark)
    if (kept.mark.digest !== mark.digest)
      throw new HttpError(409, 'idempotency_key_reused', 'this idempotency key was used for another request')
    reply.header('idempotent-replayed', 'true')
    return 'unit' in kept ? { unit: kept.unit } : { accepted: kept.accepted, refused: [] }
  }
}

/** What the log of calls and the rules of faults know of a call. */
export function subjectOf(request: FastifyRequest): CallSubject {
  const { property, externalId } = request.params as Partial<Params>
  return {
    path: pathOf(request),
    property: property || null,
    external_id: externalId ?? null,
    ...(request.routeOptions.url === calendarPath && {
      external_ids: unitsNamed(queryOf(request), bodyValue(request)),
    }),
    idempotency_key: headerOf(request, 'idempotency-key'),
  }
}

function paramsOf({ params }: FastifyRequest): Params {
  const { property, externalId } = params as Params
  if (property === '' || externalId === '') unknownPath()
  return { property, externalId }
}

/** Any key is valid, so that a test needs no account; one that begins with `invalid` never is. */
function checkKey(request: FastifyRequest) {
  const given = request.headers.authorization
  if (given === undefined) return
  const key = /^bearer +(\S+)$/i.exec(given)?.[1]
  if (!key || key.startsWith('invalid')) throw new HttpError(401, 'unauthorized', 'the API key is not valid')
}

function digestOf(request: FastifyRequest) {
  return hash('sha256', `${request.method} ${pathOf(request)}\n${bodyText(request)}`, 'base64url')
}

function unknownPath(): never {
  throw new HttpError(404, 'unknown_path', 'there is nothing here')
}

function methodNotAllowed({ method }: FastifyRequest): never {
  throw new HttpError(405, 'method_not_allowed', `${method} is not possible here`)
}

function unknownUnit(): never {
  throw new HttpError(404, 'unknown_unit', 'the property has no such unit')
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallSubject } from '../http/apply-fault.ts'
import { bodyText, pathOf, queryOf, ReplyError, requireBody } from '../http/request.ts'
import { addMethods } from '../http/server.ts'
import { changeCalendar, changeIntervals, readCalendar } from './calendar-routes.ts'
import { ApiError, type ApiCall } from './envelope.ts'
import {
  addImages,
  addListing,
  changeListing,
  listImages,
  listListings,
  showListing,
} from './listing-routes.ts'
import type { RateLimits } from './rate-limits.ts'
import {
  addReservation,
  cancelReservation,
  changeReservation,
  listReservations,
  showReservation,
} from './reservation-routes.ts'
import type { Vendor } from './store.ts'
import { admit, issueToken, revokeToken, tokenHolder } from './tokens.ts'
import { addWebhook, changeWebhook, listWebhooks, removeWebhook, showWebhook } from './webhook-routes.ts'

type Handler = (vendor: Vendor, call: ApiCall) => object

const listing = '/v1/listings/:id(^\\d{1,15}$)'
const reservation = '/v1/reservations/:id(^\\d{1,15}$)'
const webhook = '/v1/webhooks/unifiedWebhooks/:id(^\\d{1,15}$)'

const routes: Record<string, Record<string, Handler>> = {
  '/v1/listings': { GET: listListings, POST: addListing },
  [listing]: { GET: showListing, PUT: changeListing },
  [`${listing}/calendar`]: { GET: readCalendar, PUT: changeCalendar },
  [`${listing}/calendarIntervals`]: { PUT: changeIntervals },
  [`${listing}/images`]: { GET: listImages, POST: addImages },
  '/v1/reservations': { GET: listReservations, POST: addReservation },
  [reservation]: { GET: showReservation, PUT: changeReservation },
  [`${reservation}/statuses/cancelled`]: { PUT: cancelReservation },
  '/v1/webhooks/unifiedWebhooks': { GET: listWebhooks, POST: addWebhook },
  [webhook]: { GET: showWebhook, PUT: changeWebhook, DELETE: removeWebhook },
}

/** Hostaway's public API. Limits and tokens are checked before the path. */
export function addHostawayRoutes(app: FastifyInstance, vendor: Vendor, rateLimits: RateLimits) {
  app.addHook('preHandler', (request, _reply, done) => {
    rateLimits.count('ip', request.ip)
    done()
  })

  const authorized = (handler: Handler) => (request: FastifyRequest) => {
    const accountId = admit(vendor, request.headers.authorization)
    rateLimits.count('account', accountId)
    const { id } = request.params as { id?: string }
    return handler(vendor, {
      accountId,
      query: queryOf(request),
      id: Number(id),
      body: () => bodyOf(request),
    })
  }
  const unknownEndpoint = authorized(() => {
    throw new ApiError(404, 'The requested endpoint does not exist.')
  })
  const methodNotAllowed = (request: FastifyRequest) =>
    authorized(() => {
      throw new ApiError(405, `${request.method} is not allowed here.`)
    })(request)

  app.setNotFoundHandler(unknownEndpoint)
  addMethods(
    app,
    '/v1/accessTokens',
    {
      POST(request, reply) {
        const token = issueToken(vendor, request.headers['content-type'] ?? '', bodyText(request))
        reply.header('cache-control', 'no-store')
        return token
      },
      DELETE: (request) => revokeToken(vendor, queryOf(request)),
    },
    unknownEndpoint,
  )
  for (const [path, handlers] of Object.entries(routes)) {
    const byMethod = Object.entries(handlers).map(
      ([method, handler]) => [method, authorized(handler)] as const,
    )
    addMethods(app, path, Object.fromEntries(byMethod), methodNotAllowed)
  }
}

/** What the log of calls and the rules of faults know of a call: `property` is the account. */
export const subjectOf =
  (vendor: Vendor) =>
  (request: FastifyRequest): CallSubject => ({
    path: request.url,
    property: tokenHolder(vendor, request.headers.authorization)?.toString() ?? null,
    external_id: /^\/v1\/listings\/(\d+)/.exec(pathOf(request))?.[1] ?? null,
  })

function bodyOf(request: FastifyRequest): unknown {
  try {
    return requireBody(request)
  } catch (error) {
    throw error instanceof ReplyError ? new ApiError(error.status, error.message) : error
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isCopyCount } from '../http/control-routes.ts'
import { HttpError, requireBody } from '../http/request.ts'
import type { Deliveries } from './deliveries.ts'
import { ApiError } from './envelope.ts'
import { flag, integer, integerFrom, oneOf, readFields, text, type Check, type Checks } from './fields.ts'
import { newListing } from './listing-routes.ts'
import type { RateLimits } from './rate-limits.ts'
import { changedReservation, newReservation } from './reservation-routes.ts'
import type { Vendor } from './store.ts'

export interface Controls {
  vendor: Vendor
  rateLimits: RateLimits
  deliveries: Deliveries
  advanceClock: (byMs: number) => void
}

const upToTenYears: Check = {
  kind: 'at most ten years',
  fits: (value) => integer.fits(value) && Number(value) >= 0 && Number(value) <= 3_652 * 86_400_000,
}
const copyCount: Check = { kind: 'an integer from 1 to 100', fits: isCopyCount }
const anything: Check = { kind: 'given', fits: () => true }

/** The routes through which a test fills the account and sets how the vendor behaves. */
export function addHostawayControl(app: FastifyInstance, controls: Controls) {
  const { vendor, rateLimits, deliveries, advanceClock } = controls
  const { records } = vendor
  app.setErrorHandler((error) => {
    throw error instanceof ApiError ? new HttpError(422, 'invalid', error.message) : error
  })

  app.put('/accounts', (request) => {
    const { account_id, api_key } = read<{ account_id: number; api_key: string }>(request, {
      account_id: integer,
      api_key: text,
    })
    records.save(['account', account_id, { id: account_id, apiKey: api_key }])
    return { account: { account_id } }
  })
  app.delete('/tokens', (_request, reply) => {
    records.save(...records.list('token').map(({ token }) => ['token', token, null] as const))
    return noContent(reply)
  })

  app.post('/listings', (request) => {
    const { account_id, ...extra } = read<{ account_id: number; units?: number; specialStatus?: 'archived' }>(
      request,
      { account_id: integer },
      { id: integerFrom(1), units: integerFrom(1), specialStatus: oneOf('archived') },
    )
    return { listing: newListing(vendor, account_id, requireBody(request), extra) }
  })
  app.patch('/listings/:id', (request) => {
    const listing = found(records.find('listing', idOf(request)))
    const changed = {
      ...listing,
      ...read<object>(request, {}, { units: integerFrom(1), specialStatus: oneOf('archived') }),
    }
    records.save(['listing', listing.id, changed])
    return { listing: changed }
  })

  app.post('/reservations', (request) => {
    const { account_id } = read<{ account_id: number }>(request, { account_id: integer })
    const options = { source: null, force: true }
    return { reservation: newReservation(vendor, account_id, requireBody(request), options) }
  })
  app.patch('/reservations/:id', (request) => {
    const before = found(records.find('reservation', idOf(request)))
    // People may move a reservation to another listing, which the API does not allow.
    const moved = read<{ listingMapId?: number }>(request, {}, { listingMapId: integerFrom(1) })
    return {
      reservation: changedReservation(vendor, { ...before, ...moved }, requireBody(request), true),
    }
  })

  app.post('/events', (request, reply) => {
    const { account_id: accountId, ...event } = read<{
      account_id: number
      object: string
      event: string
      data: unknown
    }>(request, { account_id: integer, object: text, event: text, data: anything })
    vendor.notify({ object: event.object, event: event.event, accountId, data: event.data })
    return noContent(reply)
  })

  app.put('/clock', async (request) => {
    advanceClock(read<{ ahead_ms: number }>(request, { ahead_ms: upToTenYears }).ahead_ms)
    await deliveries.sendDue()
    return { now: new Date(vendor.now()).toISOString() }
  })

  app.get('/limits', () => ({ limits: rateLimits.limits() }))
  app.put('/limits', (request) => {
    const limits = { ip: integerFrom(0), account: integerFrom(0), window_ms: integerFrom(1) }
    rateLimits.set(read(request, {}, limits))
    return { limits: rateLimits.limits() }
  })

  app.get('/deliveries', () => ({ deliveries: deliveries.list() }))
  app.delete('/deliveries', (_request, reply) => {
    deliveries.clear()
    return noContent(reply)
  })
  app.put('/deliveries', (request) => {
    const { hold, copies } = read<{ hold?: 0 | 1; copies?: number }>(
      request,
      {},
      { hold: flag, copies: copyCount },
    )
    deliveries.setMode({
      ...(hold === undefined ? {} : { hold: hold === 1 }),
      ...(isCopyCount(copies) ? { copies } : {}),
    })
    return { manner: deliveries.mode() }
  })
  app.post('/deliveries/release', async (request) => {
    const { order } = read<{ order: 'given' | 'reversed' }>(request, { order: oneOf('given', 'reversed') })
    await deliveries.release(order)
    return { deliveries: deliveries.list() }
  })
}

function read<T>(request: FastifyRequest, required: Checks, optional: Checks = {}): T {
  const fail = (name: string) => new ApiError(422, `${name} is not allowed so here`)
  const values = readFields(requireBody(request), { ...required, ...optional }, fail)
  const missing = Object.keys(required).find((name) => values[name] === undefined || values[name] === null)
  if (missing) throw new ApiError(422, `${missing} is missing`)
  return values as T
}

const idOf = ({ params }: FastifyRequest) => Number((params as { id: string }).id)

const noContent = (reply: FastifyReply) => reply.code(204).send()

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new HttpError(404, 'unknown', 'there is no such record')
  return record
}

import type { PmsBooking, PmsBookings } from '../pms-booking.ts'
import { parseName, asObject } from '../pms-notice.ts'
import { nullIfNotFound } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import { unexpectedResponse } from './failures.ts'
import type { Send } from './hostaway-api.ts'
import { parseBooking } from './parse-booking.ts'

const pageSize = 100
const maxPages = 1_000

/** The reservations of the account. Webhook messages arrive in any order, so the reservation itself is fetched. */
export const hostawayBookings = (send: Send): PmsBookings => ({
  parseRef(notice) {
    const { object, data } = notice
    if (typeof object === 'string' && object !== 'reservation') return null
    const id = parseName(asObject(data)['id'] ?? notice['reservationId'])
    return id === null ? null : { id, revision: null }
  },
  async fetch({ id }, _notice, call) {
    if (!/^\d{1,15}$/.test(id)) return null
    const request = { method: 'GET', path: `/reservations/${id}` } as const
    const response = await send(request, call).catch(nullIfNotFound)
    if (response === null) return null
    const booking = parseBooking(response.result)
    if (booking?.id !== id) throw unexpectedResponse(response)
    return booking
  },
  polling: {
    changedSince: (time, call) => changedSince(send, time, call),
    subscribe: (url, secret, call) => subscribe(send, url, secret, call),
  },
})

/** Reads the latest change first, until a reservation that did not change since then. */
async function* changedSince(
  send: Send,
  time: Date,
  call: CallContext,
): AsyncGenerator<readonly PmsBooking[]> {
  const filter = {
    latestActivityStart: time.toISOString().slice(0, 10),
    sortOrder: 'latestActivityDesc',
  }
  for (let page = 0; page < maxPages; page++) {
    const { bookings, isLast } = await readReservations(send, filter, page, call)
    const changed = bookings.filter(
      ({ revisedAt }) => revisedAt === null || Date.parse(revisedAt) >= time.getTime(),
    )
    if (changed.length > 0) yield changed
    if (isLast || changed.length < bookings.length) return
  }
}

/** One page of the reservations, counted from 0. @throws PmsFailure */
export async function readReservations(
  send: Send,
  filter: Readonly<Record<string, string>>,
  page: number,
  call: CallContext,
) {
  const query = new URLSearchParams({
    limit: String(pageSize),
    offset: String(page * pageSize),
    ...filter,
  })
  const { result, exchange } = await send({ method: 'GET', path: `/reservations?${query}` }, call)
  if (!Array.isArray(result)) throw unexpectedResponse({ exchange })
  return {
    bookings: result.map(parseBooking).filter((booking) => booking !== null),
    isLast: result.length < pageSize,
  }
}

/** A webhook of Hostaway reports everything; it authenticates with the secret as its password. */
async function subscribe(send: Send, url: string, secret: string | null, call: CallContext): Promise<void> {
  const path = '/webhooks/unifiedWebhooks'
  const { result, exchange } = await send({ method: 'GET', path }, call)
  if (!Array.isArray(result)) throw unexpectedResponse({ exchange })
  const webhook = result.map(asObject).find((candidate) => candidate['url'] === url)
  const body = { url, isEnabled: 1, ...(secret !== null && { login: 'vacancy', password: secret }) }
  const id = parseName(webhook?.['id'])
  if (id === null) await send({ method: 'POST', path, body }, call)
  else await send({ method: 'PUT', path: `${path}/${id}`, body }, call)
}

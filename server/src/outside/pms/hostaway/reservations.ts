import type { PmsBooking, PmsBookings } from '../pms-booking.ts'
import { nameIn, objectIn } from '../pms-notice.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { Ask } from './conversation.ts'
import { strange } from './refusal.ts'
import { reservationIn } from './reservation.ts'

const pageSize = 100
const mostPages = 100

/** Reservations of the account. Webhooks come in any order, so that each is asked for instead of believed. */
export const hostawayBookings = (ask: Ask): PmsBookings => ({
  named(notice) {
    const { object, data } = notice
    if (typeof object === 'string' && object !== 'reservation') return null
    const id = nameIn(objectIn(data)['id'] ?? notice['reservationId'])
    return id === null ? null : { id, revision: null }
  },
  async find({ id }, _notice, call) {
    if (!/^\d{1,15}$/.test(id)) return null
    const question = { method: 'GET', path: `/reservations/${id}` } as const
    const answer = await ask(question, call).catch((error: unknown) => {
      if (error instanceof PmsFailure && error.code === 'mapping_not_found') return null
      throw error
    })
    if (answer === null) return null
    const booking = reservationIn(answer.result)
    if (booking?.id !== id) throw strange({ exchange: answer.exchange })
    return booking
  },
  // Nothing is acknowledged here.
  async *waiting() {},
  async acknowledge() {},
  since: (time, call) => changedSince(ask, time, call),
  tellAt: (address, secret, call) => tellAt(ask, address, secret, call),
})

/** Newest change first, until what had been heard before. */
async function* changedSince(ask: Ask, time: Date, call: Call): AsyncGenerator<readonly PmsBooking[]> {
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      offset: String(page * pageSize),
      latestActivityStart: time.toISOString().slice(0, 10),
      sortOrder: 'latestActivityDesc',
    })
    const { result, exchange } = await ask({ method: 'GET', path: `/reservations?${query}` }, call)
    if (!Array.isArray(result)) throw strange({ exchange })
    const heard = result.map(reservationIn).filter((one) => one !== null)
    const late = heard.filter(({ revisedAt }) => revisedAt === null || Date.parse(revisedAt) >= +time)
    if (late.length > 0) yield late
    if (result.length < pageSize || late.length < heard.length) return
  }
}

/** It tells everything or nothing; the secret is the password that it logs in with. */
async function tellAt(ask: Ask, url: string, secret: string | null, call: Call): Promise<void> {
  const path = '/webhooks/unifiedWebhooks'
  const { result, exchange } = await ask({ method: 'GET', path }, call)
  if (!Array.isArray(result)) throw strange({ exchange })
  const known = result.map(objectIn).find((one) => one['url'] === url)
  const body = { url, isEnabled: 1, ...(secret !== null && { login: 'vacancy', password: secret }) }
  const id = nameIn(known?.['id'])
  if (id === null) await ask({ method: 'POST', path, body }, call)
  else await ask({ method: 'PUT', path: `${path}/${id}`, body }, call)
}

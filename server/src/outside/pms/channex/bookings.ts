import type { PmsBooking, PmsBookings } from '../pms-booking.ts'
import { nameIn, objectIn } from '../pms-notice.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import { dataOf, segment, type ChannexApi } from './channex-api.ts'
import { nonsense } from './refusal.ts'
import { bookingIn } from './revision.ts'
import { tokenHeader } from './notices.ts'

const longestPage = 100
const mostPages = 200

/** What its webhook is to tell. `ari` tells of our own pushes, too: it asks only for a look. */
const told = [
  'booking',
  'ari',
  'booking_unmapped_room',
  'booking_unmapped_rate',
  'non_acked_booking',
  'sync_error',
  'rate_error',
  'disconnect_channel',
].join(';')

/** Bookings as Channex has them: revisions that wait until they are acknowledged, and the bookings behind them. */
export const channexBookings = (api: ChannexApi): PmsBookings => ({
  named(notice) {
    const payload = objectIn(notice['payload'])
    const revision = nameIn(payload['revision_id'] ?? payload['booking_revision_id'])
    const id = nameIn(payload['booking_id']) ?? revision
    return id === null ? null : { id, revision }
  },
  async find({ id, revision }, _notice, call) {
    const path = revision ? `/booking_revisions/${segment(revision)}` : `/bookings/${segment(id)}`
    const answer = await api.ask({ kind: 'bookings', method: 'GET', path }, call)
    if (answer.status === 404) return null
    const failure = api.refusal(answer, 'the booking')
    if (failure) throw failure
    const booking = bookingIn(dataOf(answer))
    if (!booking) throw nonsense(answer)
    return booking
  },
  waiting: (call) => pages(api, '/booking_revisions/feed', {}, call),
  since: (time, call) =>
    pages(api, '/bookings', { 'filter[inserted_at][gte]': time.toISOString().slice(0, -1) }, call),
  async acknowledge(revision, call) {
    const path = `/booking_revisions/${segment(revision)}/ack`
    await api.demand({ kind: 'bookings', method: 'POST', path }, 'the revision', call)
  },
  tellAt: (address, secret, call) => tellAt(api, address, secret, call),
})

/** All pages, oldest first; the feed is the account's, so that other properties are left out, here and there. */
async function* pages(
  api: ChannexApi,
  path: string,
  filter: Readonly<Record<string, string>>,
  call: Call,
): AsyncGenerator<readonly PmsBooking[]> {
  const seen = new Set<string>()
  for (let page = 1; page <= mostPages; page += 1) {
    const query = {
      'filter[property_id]': api.property,
      ...filter,
      'order[inserted_at]': 'asc',
      'pagination[page]': String(page),
      'pagination[limit]': String(longestPage),
    }
    const question = { kind: 'bookings', method: 'GET', path, query } as const
    const answer = await api.demand(question, 'the bookings of the property', call)
    const data = dataOf(answer)
    if (!Array.isArray(data)) throw nonsense(answer)
    const ours = data.filter((one) => propertyOf(one) === null || propertyOf(one) === api.property)
    const fresh = ours
      .map(bookingIn)
      .filter((one) => one !== null)
      .filter((one) => !seen.has(nameOf(one)))
    for (const one of fresh) seen.add(nameOf(one))
    if (fresh.length > 0) yield fresh
    // A page may be shorter than what was asked for: only an empty one, or one that was seen, is the end.
    if (data.length === 0 || (ours.length > 0 && fresh.length === 0)) return
  }
}

const nameOf = ({ id, revision }: PmsBooking) => JSON.stringify([id, revision])
const propertyOf = (shown: unknown) => nameIn(objectIn(objectIn(shown)['attributes'])['property_id'])

/** A webhook of Channex is switched off, and tells nothing but that something happened, unless it is told otherwise. */
async function tellAt(api: ChannexApi, address: string, secret: string | null, call: Call): Promise<void> {
  const wanted = {
    callback_url: address,
    event_mask: told,
    property_id: api.property,
    is_active: true,
    send_data: true,
    headers: secret === null ? {} : { [tokenHeader]: secret },
  }
  const known = await registered(api, address, call)
  const path = known === null ? '/webhooks' : `/webhooks/${segment(known)}`
  const method = known === null ? 'POST' : 'PUT'
  await api.demand({ kind: 'bookings', method, path, body: { webhook: wanted } }, 'the webhook', call)
}

async function registered(api: ChannexApi, address: string, call: Call): Promise<string | null> {
  for (let page = 1; page <= mostPages; page += 1) {
    const query = { 'pagination[page]': String(page), 'pagination[limit]': String(longestPage) }
    const question = { kind: 'bookings', method: 'GET', path: '/webhooks', query } as const
    const answer = await api.demand(question, 'the webhooks', call)
    const data = dataOf(answer)
    if (!Array.isArray(data)) throw nonsense(answer)
    const found = data.find(
      (one) => objectIn(objectIn(one)['attributes'])['callback_url'] === address,
    ) as unknown
    if (found) return nameIn(objectIn(found)['id'])
    if (data.length < longestPage) return null
  }
  throw new PmsFailure('validation_rejected', 'Channex has too many webhooks to find ours.', {
    hint: 'Remove the webhooks that nobody uses from the account at Channex.',
  })
}

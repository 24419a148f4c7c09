import type { PmsBooking, PmsBookings } from '../pms-booking.ts'
import { parseName, asObject } from '../pms-notice.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import { dataOf, pathSegment, type ChannexApi } from './channex-api.ts'
import { unexpectedResponse } from './failures.ts'
import { tokenHeader } from './notice-reader.ts'
import { parseBooking } from './parse-booking.ts'

const pageSize = 100
const maxPages = 1_000

/** The events of our webhook. `ari` reports our own pushes as well, so it only causes a read-back. */
const webhookEvents = [
  'booking',
  'ari',
  'booking_unmapped_room',
  'booking_unmapped_rate',
  'non_acked_booking',
  'sync_error',
  'rate_error',
  'disconnect_channel',
].join(';')

/** Channex has bookings, and revisions of them that stay in a feed until they are acknowledged. */
export const channexBookings = (api: ChannexApi): PmsBookings => ({
  parseRef(notice) {
    const payload = asObject(notice['payload'])
    const revision = parseName(payload['revision_id'] ?? payload['booking_revision_id'])
    const id = parseName(payload['booking_id']) ?? revision
    return id === null ? null : { id, revision }
  },
  async fetch({ id, revision }, _notice, call) {
    const path = revision ? `/booking_revisions/${pathSegment(revision)}` : `/bookings/${pathSegment(id)}`
    const response = await api.send({ kind: 'bookings', method: 'GET', path }, call)
    if (response.status === 404) return null
    const failure = api.failureOf(response, 'the booking')
    if (failure) throw failure
    const booking = parseBooking(dataOf(response))
    if (!booking) throw unexpectedResponse(response)
    return booking
  },
  polling: {
    changedSince: (time, call) => readPages(api, '/bookings', time.toISOString().slice(0, -1), call),
    subscribe: (url, secret, call) => subscribe(api, url, secret, call),
    feed: {
      unacknowledged: (call) => readPages(api, '/booking_revisions/feed', null, call),
      async acknowledge(revision, call) {
        const path = `/booking_revisions/${pathSegment(revision)}/ack`
        await api.sendOrThrow({ kind: 'bookings', method: 'POST', path }, 'the revision', call)
      },
    },
  },
})

/**
 * Reads all pages, oldest first. The feed belongs to the account, so other properties are filtered out here too. Of the
 * bookings since a time, one that changes meanwhile moves to the end, and the others move up: the next page would begin
 * after one that was never read. So it is the first page since the last time, and pages are counted only within a time.
 */
async function* readPages(
  api: ChannexApi,
  path: string,
  since: string | null,
  call: CallContext,
): AsyncGenerator<readonly PmsBooking[]> {
  const seen = new Set<string>()
  let from = since
  for (let calls = 0, page = 1; calls < maxPages; calls += 1) {
    const filter: Record<string, string> = from === null ? {} : { 'filter[inserted_at][gte]': from }
    const { bookings, isEmpty, isForeign, until } = await readPage(api, path, filter, page, call)
    const unseen = bookings.filter((booking) => !seen.has(keyOf(booking)))
    for (const booking of unseen) seen.add(keyOf(booking))
    if (unseen.length > 0) yield unseen
    const hasMoved = from !== null && until !== null && until > from
    // A page may be shorter than the limit; only an empty page, or one without anything new, is the last.
    if (isEmpty || (!isForeign && !hasMoved && page > 1 && unseen.length === 0)) return
    from = hasMoved ? until : from
    page = hasMoved ? 1 : page + 1
  }
}

/**
 * One page of bookings; `isForeign` when it has only bookings of other properties. `until` is the time of the last one, null
 * when they are not in the order of their times.
 */
export async function readPage(
  api: ChannexApi,
  path: string,
  filter: Readonly<Record<string, string>>,
  page: number,
  call: CallContext,
) {
  const query = {
    'filter[property_id]': api.property,
    ...filter,
    'order[inserted_at]': 'asc',
    'pagination[page]': String(page),
    'pagination[limit]': String(pageSize),
  }
  const request = { kind: 'bookings', method: 'GET', path, query } as const
  const response = await api.sendOrThrow(request, 'the bookings of the property', call)
  const data = dataOf(response)
  if (!Array.isArray(data)) throw unexpectedResponse(response)
  const times = data.map((item) => asObject(asObject(item)['attributes'])['inserted_at'] as string)
  const ofProperty = data.filter((item) => [null, api.property].includes(propertyOf(item)))
  return {
    bookings: ofProperty.map(parseBooking).filter((booking) => booking !== null),
    isEmpty: data.length === 0,
    isForeign: ofProperty.length === 0,
    until: times.every((time, index) => typeof time === 'string' && !(time < times[index - 1]!))
      ? (times.at(-1) ?? null)
      : null,
  }
}

const keyOf = ({ id, revision }: PmsBooking) => JSON.stringify([id, revision])
const propertyOf = (item: unknown) => parseName(asObject(asObject(item)['attributes'])['property_id'])

/** The defaults of a webhook at Channex are inactive and without data, so both are set. */
async function subscribe(
  api: ChannexApi,
  url: string,
  secret: string | null,
  call: CallContext,
): Promise<void> {
  const webhook = {
    callback_url: url,
    event_mask: webhookEvents,
    property_id: api.property,
    is_active: true,
    send_data: true,
    headers: secret === null ? {} : { [tokenHeader]: secret },
  }
  const id = await findWebhook(api, url, call)
  const path = id === null ? '/webhooks' : `/webhooks/${pathSegment(id)}`
  const method = id === null ? 'POST' : 'PUT'
  await api.sendOrThrow({ kind: 'bookings', method, path, body: { webhook } }, 'the webhook', call)
}

async function findWebhook(api: ChannexApi, url: string, call: CallContext): Promise<string | null> {
  for (let page = 1; page <= maxPages; page += 1) {
    const query = { 'pagination[page]': String(page), 'pagination[limit]': String(pageSize) }
    const request = { kind: 'bookings', method: 'GET', path: '/webhooks', query } as const
    const response = await api.sendOrThrow(request, 'the webhooks', call)
    const data = dataOf(response)
    if (!Array.isArray(data)) throw unexpectedResponse(response)
    const webhook = data.find(
      (item) => asObject(asObject(item)['attributes'])['callback_url'] === url,
    ) as unknown
    if (webhook) return parseName(asObject(webhook)['id'])
    if (data.length < pageSize) return null
  }
  throw new PmsFailure('validation_rejected', 'The account at Channex has too many webhooks.', {
    hint: 'Delete unused webhooks from the account at Channex.',
  })
}

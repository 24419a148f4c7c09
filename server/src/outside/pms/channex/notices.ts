import { createHash, timingSafeEqual } from 'node:crypto'
import { kindIn, nameIn, namesIn, objectIn, timeIn, type Notice, type NoticeReader } from '../pms-notice.ts'

/** The header that a webhook is registered with at Channex, which signs nothing itself. */
export const tokenHeader = 'x-vacancy-token'

const kinds: Readonly<Record<string, string>> = {
  booking: 'booking.updated',
  booking_new: 'booking.created',
  booking_modification: 'booking.updated',
  booking_cancellation: 'booking.cancelled',
  non_acked_booking: 'booking.updated',
  booking_unmapped_room: 'listing.unmapped',
  booking_unmapped_rate: 'listing.unmapped',
  ari: 'availability.updated',
  sync_error: 'sync.rejected',
  rate_error: 'sync.rejected',
  disconnect_channel: 'connection.disabled',
  test: 'ping',
}

/** `{event, property_id, payload, user_id, timestamp}`: a notice that names what to fetch. */
export const channexNotices: NoticeReader = {
  knows: (body) => typeof body['event'] === 'string' && 'payload' in body,
  read(body) {
    const payload = objectIn(body['payload'])
    const event = kindIn(body['event'] ?? body['type'])
    const revision = nameIn(payload['revision_id'] ?? payload['booking_revision_id'])
    return {
      kind: kinds[event] ?? event,
      id: nameIn(body['id']) ?? (revision && `${event} ${revision}`),
      occurredAt: timeIn(body['timestamp']),
      properties: namesIn(body['property_id'], payload['property_id']),
      listings: [],
      pmsAccount: null,
      ...(event === 'ari' && { changed: nightsIn(body['payload']) }),
    }
  },
  proves: (headers, secret) => sameText(String(headers[tokenHeader] ?? ''), secret),
}

/** From the first to the last night that a notice of changed nights names; `all` when it names none. */
function nightsIn(payload: unknown): NonNullable<Notice['changed']> {
  const named = Array.isArray(payload) ? (payload as unknown[]).map((one) => objectIn(one)['date']) : []
  const dates = named.filter(
    (date) => typeof date === 'string' && /^2\d{3}-\d\d-\d\d$/.test(date),
  ) as string[]
  if (dates.length === 0 || dates.some((date) => Number.isNaN(Date.parse(date)))) return 'all'
  dates.sort()
  return { date_from: dates[0]!, date_to: dates.at(-1)! }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const sameText = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))

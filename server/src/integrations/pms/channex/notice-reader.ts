import {
  parseKind,
  parseName,
  parseNames,
  asObject,
  parseTime,
  type Notice,
  type NoticeReader,
} from '../pms-notice.ts'
import { areSecretsEqual } from '#secrets/compare.ts'

/** The header that our webhook is registered with, because Channex does not sign its messages. */
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

/** `{event, property_id, payload, user_id, timestamp}`, where the payload names what to fetch. */
export const channexNoticeReader: NoticeReader = {
  matches: (body) => typeof body['event'] === 'string' && 'payload' in body,
  parse(body) {
    const payload = asObject(body['payload'])
    const event = parseKind(body['event'] ?? body['type'])
    const revision = parseName(payload['revision_id'] ?? payload['booking_revision_id'])
    return {
      kind: kinds[event] ?? event,
      id: parseName(body['id']) ?? (revision && `${event} ${revision}`),
      occurredAt: parseTime(body['timestamp']),
      properties: parseNames(body['property_id'], payload['property_id']),
      listings: [],
      pmsAccount: null,
      ...(event === 'ari' && { changedNights: parseChangedNights(body['payload']) }),
    }
  },
  verify: (headers, secret) => areSecretsEqual(String(headers[tokenHeader] ?? ''), secret),
}

/** The range from the first to the last date in the payload; `all` when it has no valid dates. */
function parseChangedNights(payload: unknown): NonNullable<Notice['changedNights']> {
  const values = Array.isArray(payload) ? (payload as unknown[]).map((item) => asObject(item)['date']) : []
  const dates = values.filter(
    (date) => typeof date === 'string' && /^2\d{3}-\d\d-\d\d$/.test(date),
  ) as string[]
  if (dates.length === 0 || dates.some((date) => Number.isNaN(Date.parse(date)))) return 'all'
  dates.sort()
  return { date_from: dates[0]!, date_to: dates.at(-1)! }
}

import { isCurrency } from '#schema/fields.ts'
import { pmsBookingStatuses, type BookingNotice, type PmsBooking, type PmsBookings } from '../pms-booking.ts'
import {
  joinTexts,
  parseDate,
  parseKind,
  parseName,
  parseNames,
  asObject,
  parseTime,
  type NoticeReader,
} from '../pms-notice.ts'

/** The format that Standard Webhooks recommends: `{id, type, timestamp, data}`. Any sender may use it. */
export const genericNoticeReader: NoticeReader = {
  matches: () => true,
  parse(body) {
    const data = asObject(body['data'])
    return {
      kind: parseKind(body['type'] ?? body['event'] ?? body['event_type']),
      id: parseName(body['id']),
      occurredAt: parseTime(body['timestamp']),
      properties: parseNames(body['property_id'], data['property_id']),
      listings: parseNames(data['unit_external_id']),
      pmsAccount: null,
    }
  },
  verify: null,
}

/** A message contains the whole booking, so there is nothing to fetch, to poll or to acknowledge. */
export const genericBookings: PmsBookings = {
  parseRef(notice) {
    const id = parseName(asObject(notice['data'])['external_id'])
    return id === null ? null : { id, revision: null }
  },
  fetch: async ({ id }, notice) => notice && parseBooking(id, notice),
}

function parseBooking(id: string, { body, occurredAt }: BookingNotice): PmsBooking {
  const { kind } = genericNoticeReader.parse(body)
  const data = asObject(body['data'])
  const currency = parseName(data['currency'])?.toLowerCase() ?? null
  return {
    id,
    revision: null,
    revisedAt: parseTime(data['revised_at']) ?? occurredAt,
    status:
      kind === 'booking.cancelled'
        ? 'cancelled'
        : (pmsBookingStatuses.find((status) => status === data['status']) ?? 'confirmed'),
    guestName: joinTexts('', data['guest_name']),
    guestEmail: parseName(data['guest_email']),
    guestPhone: parseName(data['guest_phone']),
    notes: joinTexts('', data['notes']),
    currency: currency !== null && isCurrency(currency) ? currency : null,
    lines: [
      {
        key: '',
        listing: parseName(data['unit_external_id']),
        plan: parseName(data['rate_plan_external_id']),
        arrival: parseDate(data['check_in']),
        departure: parseDate(data['check_out']),
        rooms: parseCount(data['rooms']),
        guests: parseCount(data['guests']),
        totalCents: Number.isSafeInteger(data['total_cents']) ? Number(data['total_cents']) : null,
      },
    ],
  }
}

const parseCount = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000 ? Number(value) : 1

import { isCurrency, isDate } from '#fields.ts'
import { pmsBookingStatuses, type PmsBooking, type PmsBookings } from '../pms-booking.ts'
import { nameIn, objectIn, timeIn, type NoticeBody } from '../pms-notice.ts'
import { sandboxNotices } from './notices.ts'

/** A message of this form carries the whole booking; there is nothing to ask for, and nothing to acknowledge. */
export const sandboxBookings: PmsBookings = {
  named(notice) {
    const id = nameIn(objectIn(notice['data'])['external_id'])
    return id === null ? null : { id, revision: null }
  },
  find: async ({ id }, notice) => notice && bookingIn(id, notice),
  async *waiting() {},
  async *since() {},
  async acknowledge() {},
  async tellAt() {},
}

function bookingIn(id: string, notice: NoticeBody): PmsBooking {
  const { kind, occurredAt } = sandboxNotices.read(notice)
  const data = objectIn(notice['data'])
  const currency = nameIn(data['currency'])?.toLowerCase() ?? null
  return {
    id,
    revision: null,
    revisedAt: timeIn(data['revised_at']) ?? occurredAt,
    status:
      kind === 'booking.cancelled'
        ? 'cancelled'
        : (pmsBookingStatuses.find((status) => status === data['status']) ?? 'confirmed'),
    guestName: nameIn(data['guest_name']),
    guestEmail: nameIn(data['guest_email']),
    guestPhone: nameIn(data['guest_phone']),
    notes: nameIn(data['notes']),
    currency: currency !== null && isCurrency(currency) ? currency : null,
    lines: [
      {
        key: '',
        listing: nameIn(data['unit_external_id']),
        plan: nameIn(data['rate_plan_external_id']),
        arrival: dayIn(data['check_in']),
        departure: dayIn(data['check_out']),
        rooms: countIn(data['rooms']),
        guests: countIn(data['guests']),
        totalCents: Number.isSafeInteger(data['total_cents']) ? Number(data['total_cents']) : null,
      },
    ],
  }
}

const dayIn = (value: unknown) => {
  const day = typeof value === 'string' ? value.slice(0, 10) : ''
  return isDate(day) ? day : null
}

const countIn = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000 ? Number(value) : 1

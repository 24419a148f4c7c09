import { isObject } from './checks.ts'

/** One message of a sales channel about a booking: created, changed or cancelled. Any other field may be missing. */
export type Revision = {
  id: string
  booking_id: string
  property_id: string
  status: 'new' | 'modified' | 'cancelled'
  insertedMs: number
  /** The same in the vendor's format: to the microsecond. */
  insertedAt: string
  acknowledged: boolean
  /** Reported as not acknowledged in time, which happens once. */
  missed: boolean
  /** The other fields that the channel sent. */
  details: Record<string, unknown>
}

export type BookedRoom = {
  room_type_id?: string | null
  rate_plan_id?: string | null
  checkin_date?: string
  checkout_date?: string
}

export function roomsOf({ details }: Revision): BookedRoom[] {
  return Array.isArray(details['rooms']) ? details['rooms'].filter(isObject) : []
}

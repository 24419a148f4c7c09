import { isObject } from './checks.ts'

/** One message of a sales channel about a booking: made, changed or cancelled. Any other field may be missing. */
export type Revision = {
  id: string
  booking_id: string
  property_id: string
  status: 'new' | 'modified' | 'cancelled'
  insertedMs: number
  /** The same, as it is told: to the microsecond. */
  insertedAt: string
  acknowledged: boolean
  /** Told once that nobody acknowledged it in time. */
  missed: boolean
  /** The rest of what the channel said. */
  said: Record<string, unknown>
}

export type BookedRoom = {
  room_type_id?: string | null
  rate_plan_id?: string | null
  checkin_date?: string
  checkout_date?: string
}

export function roomsOf({ said }: Revision): BookedRoom[] {
  return Array.isArray(said['rooms']) ? said['rooms'].filter(isObject) : []
}

import type { contract } from '@vacancy/client'

import { dateOf, dayOf } from './nights.ts'

/** Everything the calendar shows of one night of one unit; prices and stays are those of one rate plan. */
export interface Night {
  priceCents: number | null
  minStay: number
  maxStay: number | null
  closedToArrival: boolean
  closedToDeparture: boolean
  stopSell: boolean
  available: number
  booked: number
  blocked: number
  reason: string | null
}

export interface PlanNights {
  id: string
  nights: Night[]
}

export type StayKind = 'pending' | 'confirmed' | 'checked_in' | 'checked_out' | 'hold' | 'conflict'

/** What takes rooms from one day to another: a booking, a hold, or a booking that does not fit. */
export interface Stay {
  id: string
  kind: StayKind
  /** Of a conflict that has no booking here, null. */
  bookingId: string | null
  guestName: string | null
  from: number
  to: number
  rooms: number
  channelTargetId: string | null
}

export type TileListing = NonNullable<contract.UnitCalendar['listings']>[number]

/** The nights of a unit from the first day of a tile on, those of its default plan first. */
export interface UnitNights {
  nights: Night[]
  plans: PlanNights[]
  stays: Stay[]
  listings: TileListing[]
}

/** One reply of the API: some units and `nightsPerTile` nights. */
export interface Tile {
  from: number
  units: ReadonlyMap<string, UnitNights>
  /** Null when the nights were changed here since they were read. */
  etag: string | null
}

export const nightsPerTile = 56
export const unitsPerTile = 50

/** Tiles begin on the same days for everybody, so that scrolling back finds them again. */
export const tileStart = (day: number): number =>
  day - ((((day - 4) % nightsPerTile) + nightsPerTile) % nightsPerTile)

export const tileDates = (from: number) => ({ from: dateOf(from), to: dateOf(from + nightsPerTile - 1) })

export const readTile = (
  calendar: readonly contract.UnitCalendar[],
  from: number,
  etag: string | null,
): Tile => ({
  from,
  units: new Map(calendar.map((unit) => [unit.unit_id, unfoldUnit(unit, from)])),
  etag,
})

const empty: Night = {
  priceCents: null,
  minStay: 1,
  maxStay: null,
  closedToArrival: false,
  closedToDeparture: false,
  stopSell: false,
  available: 0,
  booked: 0,
  blocked: 0,
  reason: null,
}

/** Unfolds the ranges of the API into one value for each night. */
const unfoldUnit = (unit: contract.UnitCalendar, from: number): UnitNights => {
  const base = Array.from({ length: nightsPerTile }, () => ({ ...empty }))
  for (const { date_from, date_to, available, booked, blocked, reason } of unit.availability)
    for (let day = dayOf(date_from); day <= dayOf(date_to); day += 1)
      Object.assign(base[day - from] ?? {}, { available, booked, blocked, reason })
  const plans = unit.plans.map(({ rate_plan_id, days }) => {
    const nights = base.map((night) => ({ ...night }))
    for (const range of days) {
      const terms = {
        priceCents: range.price_cents,
        minStay: Math.max(range.min_stay_arrival, range.min_stay_through),
        maxStay: range.max_stay,
        closedToArrival: range.closed_to_arrival,
        closedToDeparture: range.closed_to_departure,
        stopSell: range.stop_sell,
      }
      for (let day = dayOf(range.date_from); day <= dayOf(range.date_to); day += 1)
        Object.assign(nights[day - from] ?? {}, terms)
    }
    return { id: rate_plan_id, nights }
  })
  return { nights: plans[0]?.nights ?? base, plans, stays: staysOf(unit), listings: unit.listings ?? [] }
}

const staysOf = ({ bookings, holds, conflicts }: contract.UnitCalendar): Stay[] => {
  const between = ({ arrival, departure }: { arrival: string; departure: string }) => ({
    from: dayOf(arrival),
    to: dayOf(departure),
  })
  return [
    ...bookings.map((booking) => ({
      id: booking.id,
      kind: booking.status,
      bookingId: booking.id,
      guestName: booking.guest_name,
      ...between(booking),
      rooms: booking.rooms,
      channelTargetId: booking.channel_target_id,
    })),
    ...holds.map((hold) => ({
      id: hold.booking_id,
      kind: 'hold' as const,
      bookingId: hold.booking_id,
      guestName: hold.guest_name,
      ...between(hold),
      rooms: hold.rooms,
      channelTargetId: null,
    })),
    ...conflicts.map((conflict) => ({
      id: conflict.id,
      kind: 'conflict' as const,
      bookingId: conflict.booking_id,
      guestName: conflict.guest_name,
      ...between(conflict),
      rooms: 1,
      channelTargetId: conflict.channel_target_id,
    })),
  ]
}

import type { contract } from '@vacancy/client'

import { dayOf } from './nights.ts'

type Booking = contract.Booking

/** A stay as a bar: from the middle of its arrival day to the middle of its departure day. */
export interface Bar {
  id: string
  booking: Booking
  from: number
  to: number
  /** Bars that overlap lie in lanes below each other. */
  lane: number
}

/** The bars of a unit in as few lanes as possible. */
export const layOutBars = (bookings: Iterable<Booking>): Bar[] => {
  const laneEnds: number[] = []
  return [...bookings]
    .map((booking) => ({ booking, from: dayOf(booking.arrival), to: dayOf(booking.departure) }))
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map(({ booking, from, to }) => {
      const free = laneEnds.findIndex((end) => end <= from)
      const lane = free < 0 ? laneEnds.length : free
      laneEnds[lane] = to
      return { id: booking.id, booking, from, to, lane }
    })
}

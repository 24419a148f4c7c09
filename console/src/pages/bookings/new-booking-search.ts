import { date, readSearch, text } from '../../components/read-search.ts'

const count = (value: unknown): number | undefined => {
  const number = Math.trunc(Number(value))
  return number >= 1 && number <= 10_000 ? number : undefined
}

/** The stay that is searched for, and the unit that was chosen. */
export const readNewBooking = readSearch({
  from: date,
  to: date,
  guests: count,
  rooms: count,
  place: text,
  unit: text,
})

export type NewBookingSearch = ReturnType<typeof readNewBooking>

export interface StaySearch {
  from: string
  to: string
  guests: number
  rooms: number
}

const dayMs = 86_400_000
const defaultNights = 3
const defaultGuests = 2

export const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** What is searched for: three nights from Friday for two, unless the address says something else. */
export const stayOf = ({ from, to, guests, rooms }: NewBookingSearch, today: string): StaySearch => {
  const arrival = from ?? nextFriday(today)
  const departure = to && to > arrival ? to : addDays(arrival, defaultNights)
  return { from: arrival, to: departure, guests: guests ?? defaultGuests, rooms: rooms ?? 1 }
}

const friday = 5

const nextFriday = (today: string) => {
  const weekday = new Date(today).getUTCDay()
  return addDays(today, (friday - weekday + 7) % 7)
}

import { randomUUID } from 'node:crypto'
import { dateOf } from '#schema/nights.ts'
import type { bookingSources, BookingStatus } from '#features/reservations/bookings/booking.ts'
import { guests, type DemoUnit } from './portfolio.ts'
import { openRandom, type Random } from './random.ts'

/** A unit of the demonstration that exists in the database. */
export interface SeededUnit extends DemoUnit {
  readonly id: string
  readonly space_id: string
  /** Counts all units of the organization from 1. */
  readonly number: number
  /** The night that begins today in the time zone of the space. */
  readonly today: number
  /** The targets that it is linked to, with its name there. */
  readonly channels: readonly { readonly id: string; readonly external_id: string }[]
}

export interface DemoStay {
  id: string
  unit_id: string
  guest_name: string
  guest_email: string | null
  guest_phone: string | null
  guests: number
  arrival: string
  nights: number
  total_cents: number
  status: BookingStatus
  source: (typeof bookingSources)[number]
  channel_target_id: string | null
  external_id: string | null
  notes: string | null
  pms_notes: string | null
  cancellation_reason: string | null
  /** Null: now. */
  created_at: string | null
}

/** Four months of stays, one after another in each room. The same stays on every machine. */
export function upcomingStays(unit: SeededUnit): DemoStay[] {
  const random = openRandom(unit.number)
  const stays: DemoStay[] = []
  for (let room = 0; room < (unit.quantity ?? 1); room++)
    for (let day = unit.today + random.pick(-3, 6); day < unit.today + 120;) {
      const nights = random.pick(1, 7)
      const guest_name = random.choose(guests)
      const total_cents = unit.base_price_cents * nights
      const party = random.pick(1, unit.max_guests)
      stays.push(
        directStay({
          ...{ unit_id: unit.id, guest_name, guests: party, arrival: dateOf(day), nights },
          total_cents,
        }),
      )
      day += nights + random.pick(0, 9)
    }
  return stays
}

type StayFacts = Pick<DemoStay, 'unit_id' | 'guest_name' | 'guests' | 'arrival' | 'nights' | 'total_cents'>

/** A confirmed stay that was booked here, now, without contact data of the guest. */
export const directStay = (facts: StayFacts): DemoStay => ({
  ...facts,
  ...{ id: randomUUID(), guest_email: null, guest_phone: null, notes: null, pms_notes: null },
  ...{ status: 'confirmed', source: 'direct', channel_target_id: null, external_id: null },
  ...{ cancellation_reason: null, created_at: null },
})

/** How busy an operator is: nights back and ahead, and the days between two stays beside those of the season. */
export interface Business {
  readonly nightsBack: number
  readonly nightsAhead: number
  readonly extraGap: number
  /** Of January to December, relative to the base price: demand and price. */
  readonly seasons: readonly number[]
}

export const businesses: Record<'first' | 'second', Business> = {
  first: {
    ...{ nightsBack: 396, nightsAhead: 122, extraGap: 0 },
    seasons: [0.75, 0.78, 0.88, 1, 1.08, 1.22, 1.4, 1.5, 1.24, 1.02, 0.82, 0.9],
  },
  second: {
    ...{ nightsBack: 150, nightsAhead: 100, extraGap: 9 },
    seasons: [1.2, 1.25, 1.2, 0.85, 0.9, 1.1, 1.25, 1.2, 1.15, 1, 0.85, 1.25],
  },
}

/** A year of stays of one unit: what was, who is there, who comes and goes today, and what is to come. */
export function yearOfStays(unit: SeededUnit, business: Business): DemoStay[] {
  const random = openRandom(unit.number * 7 + business.nightsBack)
  const stays: DemoStay[] = []
  for (let room = 0; room < (unit.quantity ?? 1); room++)
    for (
      let day = unit.today - business.nightsBack + random.pick(0, 6);
      day < unit.today + business.nightsAhead;
    ) {
      const nights = random.pick(1, 7)
      stays.push(stayFrom(unit, business, random, day, nights))
      // Most rooms of a cancelled stay are sold again.
      if (random.chance(0.07)) stays.push(cancelled(stayFrom(unit, business, random, day, nights), random))
      // What is far ahead is not sold yet.
      const gap = 9.5 - 5.5 * seasonOf(business, day) + Math.max(0, day - unit.today) / 12
      day += nights + random.pick(0, Math.max(1, Math.round(gap + business.extraGap)))
    }
  return stays
}

function stayFrom(
  unit: SeededUnit,
  business: Business,
  random: Random,
  day: number,
  nights: number,
): DemoStay {
  const [first, last] = [random.choose(guests).split(' ')[0]!, random.choose(guests).replace(/^\S+ /, '')]
  const created = Math.min(day - random.pick(1, 80), unit.today - random.pick(1, 25))
  const minutes = random.pick(7 * 60, 22 * 60)
  const channel = channelOf(unit, random)
  const source = channel ? 'pms' : random.choose(['direct', 'direct', 'direct', 'api', 'manual'] as const)
  const reachable = random.chance(0.9)
  const note = random.chance(0.15) ? random.choose(remarks) : null
  return {
    ...{ id: randomUUID(), unit_id: unit.id, guest_name: `${first} ${last}`, arrival: dateOf(day), nights },
    guest_email: reachable ? `${mailName(first)}.${mailName(last)}@guest.example` : null,
    guest_phone: reachable ? `+35191${random.pick(1_000_000, 9_999_999)}` : null,
    guests: random.pick(Math.ceil(unit.max_guests / 2), unit.max_guests),
    total_cents: totalOf(unit, business, day, nights),
    status: statusOn(unit.today, day, day + nights, random),
    ...{ source, channel_target_id: channel?.id ?? null },
    external_id: channel ? `${random.pick(1_000, 9_999)}-${random.pick(100_000, 999_999)}` : null,
    ...{ notes: channel ? null : note, pms_notes: channel ? note : null, cancellation_reason: null },
    created_at: `${dateOf(created)}T${clock(minutes / 60)}:${clock(minutes % 60)}:00Z`,
  }
}

/** Most stays come by a channel, and most of those not by the first one, which is the front office. */
function channelOf({ channels }: SeededUnit, random: Random) {
  if (random.chance(0.32)) return undefined
  return channels.length === 1 || random.chance(0.2) ? channels[0] : random.choose(channels.slice(1))
}

const remarks = [
  'Arrives late, about 23:00.',
  'Needs a cot for a child of one year.',
  'Asks for a parking space for a van.',
  'Wedding anniversary: flowers in the room.',
  'Guest is allergic to feathers.',
  'Would like an early check-in if the room is ready.',
  'Invoice to the company, tax number follows by mail.',
  'Brings a small dog.',
]

const mailName = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
const clock = (value: number) => String(Math.floor(value)).padStart(2, '0')

const seasonOf = ({ seasons }: Business, day: number) => seasons[new Date(day * 86_400_000).getUTCMonth()]!

/** Nights on Friday and Saturday cost a fifth more. */
function totalOf({ base_price_cents }: SeededUnit, business: Business, day: number, nights: number): number {
  let total = 0
  for (let night = day; night < day + nights; night++) {
    const weekend = [5, 6].includes(new Date(night * 86_400_000).getUTCDay()) ? 1.2 : 1
    total += Math.round((base_price_cents * seasonOf(business, night) * weekend) / 100) * 100
  }
  return total
}

function statusOn(today: number, arrival: number, departure: number, random: Random): BookingStatus {
  if (departure < today) return random.chance(0.02) ? 'no_show' : 'checked_out'
  if (departure === today) return random.chance(0.5) ? 'checked_out' : 'checked_in'
  if (arrival < today) return 'checked_in'
  return arrival === today && random.chance(0.3) ? 'checked_in' : 'confirmed'
}

const cancelled = (stay: DemoStay, random: Random): DemoStay => ({
  ...stay,
  status: 'cancelled',
  cancellation_reason: random.choose(['guest_request', 'guest_request', 'no_payment', 'host']),
})

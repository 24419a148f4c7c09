import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pMap from 'p-map'
import type { ChannexWorld } from '../server/test/channex-live.ts'
import { noise } from '../server/test/uploads.ts'

/** A portfolio at the Channex sandbox, as an operator brings it. */

export const properties = 10
const roomsPerProperty = 50
export const photosPerRoom = 2
export const listings = properties * roomsPerProperty
/** Days from today of the first arrival and the last departure: a year back and a year ahead. */
export const [firstDay, lastDay] = [-365, 365]
export const stayNights = 7
const nightsBetween = 3

export const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
export const arrivals = Array.from(
  { length: Math.floor((lastDay - firstDay) / (stayNights + nightsBetween)) },
  (_, n) => firstDay + n * (stayNights + nightsBetween),
)
/** A guest who departed yesterday may still be there somewhere on earth; earlier bookings are over. */
export const upcoming = arrivals.filter((arrival) => arrival + stayNights >= -1).length * listings

/** Serves a picture of 1,600 × 1,200 at every address. */
export async function servePhotos(): Promise<{ url: string } & AsyncDisposable> {
  const picture = await noise(1_600, 1_200).jpeg({ quality: 40 }).toBuffer()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export async function seedPortfolio({ control }: ChannexWorld, photoUrl: string): Promise<string[]> {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  const seeded = await control('POST', 'seed', {
    properties: numbers(properties).map((house) => ({
      ...{ title: `House ${house}`, currency: 'EUR', timezone: 'UTC' },
      room_types: numbers(roomsPerProperty).map((room) => ({
        title: `House ${house} room ${room}`,
        count_of_rooms: 1,
        content: {
          photos: numbers(photosPerRoom).map((photo) => ({
            url: `${photoUrl}/${house}-${room}-${photo}.jpg`,
            position: photo,
          })),
        },
        rate_plans: [{ title: `House ${house} room ${room} flexible` }],
      })),
    })),
  })
  const houses = (seeded.body as { properties: SeededProperty[] }).properties
  const span = { date_from: day(0), date_to: day(499) }
  for (const { id: property_id, room_types } of houses) {
    const nights = { property_id, ...span }
    const set = async (kind: string, values: object[]) => {
      const { status } = await control('POST', 'values', { kind, values })
      if (status !== 200) throw new Error(`The sandbox refused ${kind} with ${status}.`)
    }
    await set(
      'availability',
      room_types.map(({ id }) => ({ ...nights, room_type_id: id, availability: 1 })),
    )
    await set(
      'restrictions',
      room_types.map(({ rate_plans: [plan] }, n) => ({
        ...{ ...nights, rate_plan_id: plan!.id },
        ...{ rate: 10_000 + 100 * n, min_stay_arrival: 2 },
      })),
    )
    const stays = room_types.flatMap((room) => arrivals.map((arrival) => ({ room, arrival })))
    await pMap(stays, (stay) => book(property_id, stay), { concurrency: 8 })
  }
  // The system before us has acknowledged them: they have left the feed.
  await control('PUT', 'clock', { ahead_ms: 31 * 60_000 })
  return houses.map(({ id }) => id)

  async function book(property_id: string, { room, arrival }: { room: SeededRoom; arrival: number }) {
    const { status } = await control('POST', 'bookings', {
      property_id,
      inserted_at: new Date(Date.now() + (Math.min(arrival, 0) - 20) * 86_400_000).toISOString().slice(0, -1),
      currency: 'EUR',
      amount: '700.00',
      customer: { name: 'Ada', surname: 'Lima', mail: 'ada@guests.example' },
      rooms: [
        {
          ...{ room_type_id: room.id, rate_plan_id: room.rate_plans[0]!.id },
          ...{ checkin_date: day(arrival), checkout_date: day(arrival + stayNights) },
          ...{ occupancy: { adults: 2 }, amount: '700.00' },
        },
      ],
    })
    if (status !== 201) throw new Error(`The sandbox refused a booking with ${status}.`)
  }
}

interface SeededRoom {
  id: string
  rate_plans: { id: string }[]
}

interface SeededProperty {
  id: string
  room_types: SeededRoom[]
}

import assert from 'node:assert/strict'

import type { Product } from './product.ts'

/** What happens at the PMS of the sandbox without this product. */

const call = async (method: string, url: string, body?: object) => {
  const answer = await fetch(url, {
    method,
    headers: { authorization: 'Bearer vendor', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  assert.ok(answer.ok, `${method} ${url} answered ${answer.status}: ${await answer.clone().text()}`)
  return answer
}

/** Makes the PMS fail in these ways and in no other. */
export const setPmsFaults = async ({ pmsUrl }: Product, ...faults: object[]) => {
  await call('DELETE', `${pmsUrl}/_control/faults`)
  for (const fault of faults) await call('PUT', `${pmsUrl}/_control/faults`, fault)
}

/** Makes the PMS refuse the values of one room. */
export const rejectRoom = (product: Product, external_id: string) =>
  setPmsFaults(product, { mode: 'refuse_values', external_id, code: 'invalid', message: 'The room is gone' })

/** Somebody changes what the PMS shows of a property. */
export const changeAtPms = ({ pmsUrl }: Product, values: object) =>
  call('PUT', `${pmsUrl}/_control/values`, values)

const space = {
  ...{ name: 'House at the PMS', address: 'Rua do Mar 1', city: 'Lisboa', state: null, zip: '1000' },
  ...{ country: 'PT', timezone: 'Europe/Lisbon', description: null, amenities: [] },
}

interface Room {
  id: string
  name: string
  type: string
  bedrooms: number
  bathrooms: number
  max_guests: number
  quantity: number
  base_price_cents: number
  currency: string
}

export const addPmsRoom = ({ pmsUrl }: Product, property: string, { id, ...room }: Room) =>
  call('PUT', `${pmsUrl}/properties/${property}/units/${id}`, { ...room, open: true, space })

interface PmsNights {
  rooms: { available: number }[]
  rates: { price_cents: number; stop_sell: boolean }[]
}

/** What the PMS offers of one room, by night. */
export const readPmsNights = async (
  { pmsUrl }: Product,
  property: string,
  id: string,
  [from, to]: [from: string, to: string],
): Promise<PmsNights> => {
  const query = `external_id=${id}&from=${from}&to=${to}`
  const answer = await call('GET', `${pmsUrl}/properties/${property}/calendar?${query}`)
  const { units } = (await answer.json()) as { units: [PmsNights] }
  return units[0]
}

interface SoldStay {
  listing: { channel_target_id: string; external_id: string }
  guest: string
  checkIn: string
  checkOut: string
  /** That of the booking; one of its own by default. */
  number?: string
}

/** A sales channel sold a stay, whether there was a room or not. */
export const sellAtPms = async (
  { apiUrl }: Product,
  { listing, guest, checkIn, checkOut, number = `OTA-${crypto.randomUUID().slice(0, 8)}` }: SoldStay,
) => {
  const data = {
    ...{ external_id: number, unit_external_id: listing.external_id },
    ...{ status: 'confirmed', check_in: checkIn, check_out: checkOut, guest_name: guest },
    ...{ rooms: 1, guests: 2, total_cents: 42_000, currency: 'eur' },
  }
  const timestamp = new Date().toISOString()
  const message = { id: `msg-${crypto.randomUUID()}`, type: 'booking.created', timestamp, data }
  await call('POST', `${apiUrl}/webhooks/pms/${listing.channel_target_id}`, message)
}

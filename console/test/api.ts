import assert from 'node:assert/strict'

import type { Page } from '@playwright/test'
import type { Product } from './product.ts'

/** A call of the API as the person who is signed in on the page: what a colleague would do meanwhile. */
export const callApi = async <Reply>(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> => {
  const token = await page.evaluate<string>(
    `Object.values(sessionStorage).map((text) => JSON.parse(text).access_token).find(Boolean)`,
  )
  const reply = await fetch(`${new URL(page.url()).origin}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
  return (reply.status === 204 ? undefined : await reply.json()) as Reply
}

/** Makes the PMS of the sandbox fail, or work again. */
export const setPmsFaults = async ({ pmsUrl }: Product, ...faults: object[]) => {
  assert.ok((await fetch(`${pmsUrl}/_control/faults`, { method: 'DELETE' })).ok)
  for (const fault of faults) {
    const set = await fetch(`${pmsUrl}/_control/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    })
    assert.ok(set.ok, await set.text())
  }
}

interface SoldStay {
  listing: { channel_target_id: string; external_id: string }
  guest: string
  checkIn: string
  checkOut: string
}

/** A sales channel sold a stay, whether there was a room or not. */
export const sellAtPms = async ({ apiUrl }: Product, { listing, guest, checkIn, checkOut }: SoldStay) => {
  const data = {
    ...{ external_id: `OTA-${crypto.randomUUID().slice(0, 8)}`, unit_external_id: listing.external_id },
    ...{ status: 'confirmed', check_in: checkIn, check_out: checkOut, guest_name: guest },
    ...{ rooms: 1, guests: 2, total_cents: 42_000, currency: 'eur' },
  }
  const timestamp = new Date().toISOString()
  const message = { id: `msg-${crypto.randomUUID()}`, type: 'booking.created', timestamp, data }
  const answer = await fetch(`${apiUrl}/webhooks/pms/${listing.channel_target_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
  assert.ok(answer.ok, await answer.text())
}

import { sql } from '../server/src/db/sql.ts'
import { operations } from '../server/test/operations.ts'
import type { Check, CheckContext } from './ledger.ts'

/** Reads every acknowledged record from the API. */
export const checkAcknowledgedWrites: Check = async (context) => {
  const { bookings, prices, payments } = context.ledger
  const wrong: string[] = []
  for (const [key, entry] of bookings) {
    const booking = (await readRecord(context, `bookings/${entry.id}`))?.booking as
      Record<string, unknown> | undefined
    for (const [member, value] of Object.entries(entry))
      if (booking?.[member] !== value)
        wrong.push(`booking ${key}: ${member} is ${String(booking?.[member])}, not ${value}`)
  }
  for (const [id, cents] of prices) {
    const actual = (await readRecord(context, `units/${id}`))?.unit?.base_price_cents as unknown
    if (actual !== cents) wrong.push(`unit ${id}: ${String(actual)} cents, not ${cents}`)
  }
  for (const [id, { amountCents, isPaid, refundedCents }] of payments) {
    const intent = (await readRecord(context, `payment-intents/${id}`))?.payment_intent
    const actual = [intent?.amount, intent?.amount_received, intent?.amount_refunded].join(' ')
    const expected = [amountCents, isPaid ? amountCents : 0, refundedCents].join(' ')
    if (actual !== expected) wrong.push(`payment ${id}: ${actual}, not ${expected}`)
  }
  return { wrong, checked: bookings.size + prices.size + payments.size, of: 'records' }
}

/** Each idempotency key made one booking: the ledger contains all bookings of the load. */
export const checkNoExtraBookings: Check = async ({ cluster, ledger }) => {
  const rows = await cluster.query(
    sql<{ id: string; name: string }>`select id, guest_name as name from bookings
      where deleted_at is null and source <> 'pms' and guest_name like ${`Guest ${ledger.name}-%`}`,
  )
  const known = new Set([...ledger.bookings.values()].map(({ id }) => id))
  const wrong = rows.filter(({ id }) => !known.has(id)).map(({ name }) => `${name} is not in the ledger`)
  return { wrong, checked: rows.length, of: 'bookings' }
}

/** Every list of the contract responds with 200, on every page and from every process. */
export const checkLists: Check = async ({ cluster }) => {
  const lists = operations.filter(
    ({ method, pathParameters, isStream }) => method === 'GET' && pathParameters.length === 0 && !isStream,
  )
  const wrong: string[] = []
  let checked = 0
  for (const client of cluster.clients)
    for (const { path, permission, queryParameters } of lists) {
      if (permission === 'none') continue
      const limit = Number(queryParameters.find(({ name }) => name === 'limit')?.schema.maximum ?? 0)
      const required = queryParameters.filter((one) => one.required).map(({ name }) => exampleParameter(name))
      const query = [...required, ...(limit ? [`limit=${limit}`] : [])].join('&')
      for (let page = 0, cursor = ''; page === 0 || (cursor && page < maxPages); page++) {
        const response = await client.attempt({ method: 'GET', path: `${path}?${query}${cursor}` })
        checked++
        const outcome =
          response.kind === 'answered' ? `${response.status} ${response.body?.detail}` : response.why
        if (response.kind !== 'answered' || response.status !== 200)
          wrong.push(`GET ${path}?${query} at ${client.url}, after ${Math.round(response.ms)} ms: ${outcome}`)
        const next =
          response.kind === 'answered' && path !== '/api/v1/events' ? response.body?.next_cursor : null
        cursor = next ? `&cursor=${encodeURIComponent(String(next))}` : ''
      }
    }
  return { wrong, checked, of: 'pages' }
}

const maxPages = 10

function exampleParameter(name: string): string {
  const value = (
    { from: '2031-07-01', to: '2031-07-04', kind: 'booking.confirmed', q: 'unit' } as Record<string, string>
  )[name]
  if (value === undefined) throw new Error(`Add an example of the parameter ${name} to check-answers.ts.`)
  return `${name}=${value}`
}

async function readRecord({ cluster }: CheckContext, path: string) {
  const response = await cluster.clients[0]!.attempt({ method: 'GET', path: `/api/v1/${path}` })
  if (response.kind !== 'answered') throw new Error(`${path}: ${response.why}`)
  return response.status === 200 ? response.body : undefined
}

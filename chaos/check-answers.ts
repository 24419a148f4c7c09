import { sql } from 'kysely'
import { operations } from '../server/test/operations.ts'
import type { Check, Look } from './ledger.ts'

/** What the product answers when it is asked for what it acknowledged. */
export const allAcknowledgedThere: Check = async (look) => {
  const { bookings, prices, payments } = look.ledger
  const wrong: string[] = []
  for (const [key, entry] of bookings) {
    const booking = (await show(look, `bookings/${entry.id}`))?.booking as Record<string, unknown> | undefined
    for (const [member, value] of Object.entries(entry))
      if (booking?.[member] !== value)
        wrong.push(`booking ${key}: ${member} is ${String(booking?.[member])}, not ${value}`)
  }
  for (const [id, cents] of prices) {
    const found = (await show(look, `units/${id}`))?.unit?.base_price_cents as unknown
    if (found !== cents) wrong.push(`unit ${id}: ${String(found)} cents, not ${cents}`)
  }
  for (const [id, { amountCents, isPaid, refundedCents }] of payments) {
    const intent = (await show(look, `payment-intents/${id}`))?.payment_intent
    const found = [intent?.amount, intent?.amount_received, intent?.amount_refunded].join(' ')
    const expected = [amountCents, isPaid ? amountCents : 0, refundedCents].join(' ')
    if (found !== expected) wrong.push(`payment ${id}: ${found}, not ${expected}`)
  }
  return { wrong, looked: bookings.size + prices.size + payments.size, of: 'records' }
}

/** One key is one booking, however often it was asked: nobody but the ledger made any. */
export const noBookingTooMany: Check = async ({ house, ledger }) => {
  const rows = await house.query(
    sql<{ id: string; name: string }>`select id, guest_name as name from bookings
      where deleted_at is null and source <> 'pms' and guest_name like ${`Guest ${ledger.name}-%`}`,
  )
  const known = new Set([...ledger.bookings.values()].map(({ id }) => id))
  const wrong = rows.filter(({ id }) => !known.has(id)).map(({ name }) => `nobody was told of ${name}`)
  return { wrong, looked: rows.length, of: 'bookings' }
}

/** No list of the contract fails, at any process, on any page: nothing that is stored cannot be read. */
export const listsAnswer: Check = async ({ house }) => {
  const [unit] = await house.query(sql<{ id: string }>`select id from units limit 1`)
  const lists = operations.filter(
    ({ method, pathParameters, isStream }) => method === 'GET' && pathParameters.length === 0 && !isStream,
  )
  const wrong: string[] = []
  let looked = 0
  for (const door of house.doors)
    for (const { path, permission, queryParameters } of lists) {
      if (permission === 'none') continue
      const takes = (name: string) => queryParameters.some((one) => one.name === name)
      const needed = queryParameters.filter(({ required }) => required).map(({ name }) => wanted(name))
      // A calendar is that of a unit or a space.
      if (path === '/api/v1/calendar') needed.push(`unit_id=${unit?.id}`)
      const query = [...needed, ...(takes('limit') ? ['limit=100'] : [])].join('&')
      for (let page = 0, cursor = ''; page === 0 || (cursor && page < mostPages); page++) {
        const answer = await door.ask({ method: 'GET', path: `${path}?${query}${cursor}` })
        looked++
        const seen = answer.kind === 'answered' ? answer.status : answer.why
        if (seen !== 200) wrong.push(`GET ${path}?${query} at ${door.url}: ${seen}`)
        const next = answer.kind === 'answered' && path !== '/api/v1/events' ? answer.body?.next_cursor : null
        cursor = next ? `&cursor=${encodeURIComponent(String(next))}` : ''
      }
    }
  return { wrong, looked, of: 'pages' }
}

const mostPages = 10

function wanted(name: string): string {
  const value = (
    { from: '2031-07-01', to: '2031-07-04', kind: 'booking.confirmed' } as Record<string, string>
  )[name]
  if (value === undefined) throw new Error(`Which ${name} does a list want? Say so in check-answers.ts.`)
  return `${name}=${value}`
}

async function show({ house }: Look, path: string) {
  const answer = await house.doors[0]!.ask({ method: 'GET', path: `/api/v1/${path}` })
  if (answer.kind !== 'answered') throw new Error(`${path}: ${answer.why}`)
  return answer.status === 200 ? answer.body : undefined
}

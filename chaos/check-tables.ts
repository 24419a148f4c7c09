import { sql } from '../server/src/db/sql.ts'
import type { Reply } from '../server/test/caller.ts'
import type { Check } from './ledger.ts'

/** Counts the booked rooms of each night without the functions and triggers of the product. */
export const checkNoOverbooking: Check = async ({ cluster }) => {
  const rows = await cluster.query(
    sql<{ night: string; name: string; sold: number; quantity: number }>`
      with nights as (
        select booking.unit_id, night::date as night, sum(booking.rooms)::int as sold
        from bookings booking,
          generate_series(lower(booking.nights), upper(booking.nights) - 1, interval '1 day') night
        where booking.deleted_at is null
          and booking.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
        group by 1, 2
      )
      select nights.night::text, unit.name, nights.sold, unit.quantity
      from nights
      join units unit on unit.id = nights.unit_id`,
  )
  const wrong = rows
    .filter(({ sold, quantity }) => sold > quantity)
    .map(({ night, name, sold, quantity }) => `${name} on ${night}: ${sold} of ${quantity} rooms`)
  return { wrong, checked: rows.length, of: 'nights' }
}

/** Each message is stored once with the number of its copies, and made one booking and one event. */
export const checkMessages: Check = async ({ cluster, ledger }) => {
  const messages = await cluster.query(
    sql<{ id: string; copies: number; status: string }>`
      select message_id as id, copies, status from webhook_messages`,
  )
  const bookings = await cluster.query(
    sql<{ id: string; status: string; rows: number; events: number }>`
      select booking.external_id as id, min(booking.status) as status,
        count(distinct booking.id)::int as rows,
        count(event.id) filter (where event.type = 'booking.created')::int as events
      from bookings booking
      left join events event on event.data #>> '{booking,id}' = booking.id::text
      where booking.external_id is not null
      group by booking.external_id`,
  )
  const unrouted = await cluster.query(sql<{ id: string }>`select message_id as id from unrouted_webhooks`)
  const stored = Map.groupBy(messages, ({ id }) => id)
  const byExternalId = new Map(bookings.map((booking) => [booking.id, booking]))
  const wrong = messages
    .filter(({ status }) => status !== 'processed' && status !== 'ignored')
    .map(({ id, status }) => `${id} is ${status}`)
  wrong.push(...unrouted.map(({ id }) => `${id} is of no target`))
  for (const [externalId, { acknowledged, status }] of ledger.messages) {
    for (const [id, count] of acknowledged) {
      const copies = (stored.get(id) ?? []).map((message) => message.copies)
      if (copies.length !== 1 || copies[0]! < count)
        wrong.push(`${id}: stored with ${copies.join(' and ') || 'none'} of ${count} copies`)
    }
    const booking = byExternalId.get(externalId)
    if (booking?.rows !== 1 || booking.status !== status)
      wrong.push(`${externalId}: ${booking?.rows ?? 0} bookings, ${booking?.status}, not ${status}`)
  }
  return { wrong, checked: ledger.messages.size, of: 'bookings of the PMS' }
}

/** Compares every payment and refund with the provider, in both directions. */
export const checkPayments: Check = async ({ cluster }) => {
  const response = await fetch(`${cluster.sandbox.paymentsUrl}/_control/ledger`)
  const provider = (await response.json()) as {
    payment_intents: Reply['body'][]
    refunds: Reply['body'][]
  }
  const rows = await cluster.query(
    sql<{ id: string; reference: string | null; amount: number; received: number; refunded: number }>`
      select id, provider_reference as reference, amount, amount_received as received,
        amount_refunded as refunded
      from payment_intents`,
  )
  const wrong: string[] = []
  const byIntentId = Map.groupBy(provider.payment_intents, (one) => String(one.metadata.payment_intent_id))
  for (const { id, reference, ...cents } of rows) {
    const created = byIntentId.get(id) ?? []
    byIntentId.delete(id)
    const [one] = created
    if (created.length !== 1 || one.id !== reference)
      wrong.push(`payment ${id} is ${created.length} at the provider`)
    const refunds = provider.refunds.filter(
      (refund) => refund.payment_intent === reference && refund.status !== 'failed',
    )
    const atProvider = { amount: one?.amount, received: one?.amount_received, refunded: sumOf(refunds) }
    if (JSON.stringify(atProvider) !== JSON.stringify(cents))
      wrong.push(`payment ${id}: ${JSON.stringify(cents)} here, ${JSON.stringify(atProvider)} there`)
  }
  for (const id of byIntentId.keys()) wrong.push(`the provider has ${id}, which is not known here`)
  return { wrong, checked: rows.length, of: 'payments' }
}

const sumOf = (refunds: Reply['body'][]): number =>
  refunds.reduce((sum: number, { amount }) => sum + amount, 0)

/** Reads every listing back from the PMS through the API, and its price once more directly. */
export const checkPms: Check = async (context) => {
  const { cluster } = context
  const listings = await cluster.query(
    sql<{ id: string; target: string; external: string; price: number }>`
      select listing.id, listing.channel_target_id as target, listing.external_id as external,
        unit.base_price_cents as price
      from channel_listings listing
      join units unit on unit.id = listing.unit_id`,
  )
  const wrong: string[] = []
  for (const { id, target, external, price } of listings) {
    const response = await cluster.clients[0]!.attempt({ method: 'GET', path: `/api/v1/sync/proof/${id}` })
    if (response.kind !== 'answered' || response.status !== 200) {
      wrong.push(`${external}: ${response.kind === 'answered' ? response.text.slice(0, 200) : response.why}`)
      continue
    }
    const { differences, error_message: error } = response.body.proof
    if (error !== null || differences.length > 0)
      wrong.push(`${external}: ${error ?? JSON.stringify(differences.slice(0, 2))}`)
    const shown = await fetch(`${cluster.sandbox.pmsUrl}/properties/${target}/units/${external}`)
    const { unit } = (await shown.json()) as { unit?: { base_price_cents?: number } }
    if (unit?.base_price_cents !== price) wrong.push(`${external}: ${unit?.base_price_cents}, not ${price}`)
  }
  return { wrong, checked: listings.length, of: 'listings' }
}

/** The history of each listing ends with the end of an attempt; an interrupted attempt is followed by another. */
export const checkAttempts: Check = async ({ cluster }) => {
  const rows = await cluster.query(
    sql<{ listing: string; actions: string[] }>`
      select channel_listing_id as listing, array_agg(action order by created_at, id) as actions
      from sync_audit where action like 'sync.%' and attempt is not null group by 1`,
  )
  const count = (actions: string[], isStart: boolean) =>
    actions.filter((action) => (action === 'sync.started') === isStart).length
  const wrong: string[] = []
  for (const { listing, actions } of rows) {
    if (actions.at(-1) === 'sync.started')
      wrong.push(`listing ${listing} ends with an attempt that has no end`)
    if (count(actions, false) > count(actions, true))
      wrong.push(`listing ${listing} has more ends than attempts: ${actions.slice(-8).join(', ')}`)
  }
  const attempts = rows.reduce((sum, { actions }) => sum + count(actions, true), 0)
  const ends = rows.reduce((sum, { actions }) => sum + count(actions, false), 0)
  return { wrong, checked: attempts, of: `attempts, ${attempts - ends} of them superseded` }
}

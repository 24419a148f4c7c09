import { sql } from 'kysely'
import type { Body } from './door.ts'
import type { Check, Look } from './ledger.ts'

/** Counted by hand, night by night, past the functions and guards of the product. */
export const noNightTwice: Check = async ({ house }) => {
  const rows = await house.query(
    sql<{ night: string; name: string; sold: number; quantity: number }>`
      with sold as (
        select b.unit_id, n::date as night, sum(b.rooms)::int as sold
        from bookings b, generate_series(lower(b.nights), upper(b.nights) - 1, interval '1 day') n
        where b.deleted_at is null and b.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
        group by 1, 2)
      select s.night::text, u.name, s.sold, u.quantity from sold s join units u on u.id = s.unit_id`,
  )
  const wrong = rows
    .filter(({ sold, quantity }) => sold > quantity)
    .map(({ night, name, sold, quantity }) => `${name} on ${night}: ${sold} of ${quantity} rooms`)
  return { wrong, looked: rows.length, of: 'nights' }
}

/** Each message is there once however many copies came, and is one booking with one event of its making. */
export const messagesOnce: Check = async ({ house, ledger }) => {
  const messages = await house.query(
    sql<{ id: string; copies: number; status: string }>`
      select message_id as id, copies, status from webhook_messages`,
  )
  const bookings = await house.query(
    sql<{ id: string; status: string; rows: number; told: number }>`
      select b.external_id as id, min(b.status) as status, count(distinct b.id)::int as rows,
        count(e.id) filter (where e.type = 'booking.created')::int as told
      from bookings b left join events e on e.data #>> '{booking,id}' = b.id::text
      where b.external_id is not null group by b.external_id`,
  )
  const kept = new Map(messages.map((message) => [message.id, message]))
  const made = new Map(bookings.map((booking) => [booking.id, booking]))
  const wrong = messages
    .filter(({ status }) => status !== 'processed' && status !== 'ignored')
    .map(({ id, status }) => `${id} is ${status}`)
  for (const [externalId, { acknowledged, status }] of ledger.messages) {
    for (const [id, heard] of acknowledged)
      if ((kept.get(id)?.copies ?? 0) < heard) wrong.push(`${id}: ${kept.get(id)?.copies} of ${heard} copies`)
    const booking = made.get(externalId)
    if (booking?.rows !== 1 || booking.status !== status)
      wrong.push(`${externalId}: ${booking?.rows ?? 0} bookings, ${booking?.status}, not ${status}`)
  }
  return { wrong, looked: ledger.messages.size, of: 'bookings of the PMS' }
}

/** To the cent, both ways: nothing is there that the other side does not know. */
export const paymentsEqual: Check = async ({ house }) => {
  const answer = await fetch(`${house.outside.paymentsUrl}/_control/ledger`)
  const theirs = (await answer.json()) as {
    payment_intents: Body[]
    refunds: Body[]
  }
  const ours = await house.query(
    sql<{ id: string; reference: string | null; amount: number; received: number; refunded: number }>`
      select id, provider_reference as reference, amount, amount_received as received, amount_refunded as refunded
      from payment_intents`,
  )
  const wrong: string[] = []
  const perIntent = Map.groupBy(theirs.payment_intents, (one) => String(one.metadata.payment_intent_id))
  for (const { id, reference, ...cents } of ours) {
    const opened = perIntent.get(id) ?? []
    perIntent.delete(id)
    const [one] = opened
    if (opened.length !== 1 || one.id !== reference)
      wrong.push(`payment ${id} is ${opened.length} at the provider`)
    const back = theirs.refunds.filter(
      (refund) => refund.payment_intent === reference && refund.status !== 'failed',
    )
    const found = { amount: one?.amount, received: one?.amount_received, refunded: sumOf(back) }
    if (JSON.stringify(found) !== JSON.stringify(cents))
      wrong.push(`payment ${id}: ${JSON.stringify(cents)} here, ${JSON.stringify(found)} there`)
  }
  for (const id of perIntent.keys()) wrong.push(`the provider has ${id}, which is not known here`)
  return { wrong, looked: ours.length, of: 'payments' }
}

const sumOf = (refunds: Body[]): number => refunds.reduce((sum: number, { amount }) => sum + amount, 0)

/** Every listing is read back from the PMS, and its price once more past our own code. */
export const pmsEqual: Check = async (look) => {
  const { house } = look
  const listings = await house.query(
    sql<{ id: string; target: string; external: string; price: number }>`
      select l.id, l.channel_target_id as target, l.external_id as external, u.base_price_cents as price
      from channel_listings l join units u on u.id = l.unit_id`,
  )
  const wrong: string[] = []
  for (const { id, target, external, price } of listings) {
    const answer = await house.doors[0]!.ask({ method: 'GET', path: `/api/v1/sync/proof/${id}` })
    if (answer.kind !== 'answered' || answer.status !== 200) {
      wrong.push(`${external}: ${answer.kind === 'answered' ? answer.text.slice(0, 200) : answer.why}`)
      continue
    }
    const { differences, error_message: trouble } = answer.body.proof
    if (trouble !== null || differences.length > 0)
      wrong.push(`${external}: ${trouble ?? JSON.stringify(differences.slice(0, 2))}`)
    const shown = await fetch(`${house.outside.pmsUrl}/properties/${target}/units/${external}`)
    const { unit } = (await shown.json()) as { unit?: { base_price_cents?: number } }
    if (unit?.base_price_cents !== price) wrong.push(`${external}: ${unit?.base_price_cents}, not ${price}`)
  }
  return { wrong, looked: listings.length, of: 'listings' }
}

/** Nothing is due that nobody works on. */
export const nothingStuck: Check = async (look) => {
  const wrong = (await openWork(look)).map(({ what, count }) => `${count} ${what}`)
  return { wrong, looked: kindsOfWork, of: 'kinds of work' }
}

const kindsOfWork = 6

export async function openWork({ house }: Pick<Look, 'house'>): Promise<{ what: string; count: number }[]> {
  return await house.query(
    sql<{ what: string; count: number }>`select * from (
      select 'jobs of ' || name || ' ' || state as what, count(*)::int as count from pgboss.job
        where state in ('created', 'retry', 'active') and start_after <= now() + interval '12 seconds' group by name, state
      union all select 'listings ' || status, count(*)::int from listing_syncs
        where status in ('pending', 'in_progress') or wanted_version <> synced_version group by status
      union all select 'messages received', count(*)::int from webhook_messages where status = 'received'
      union all select 'payments unsettled', count(*)::int from payment_intents
        where provider_reference is null or requested is not null
      union all select 'refunds pending', count(*)::int from payment_refunds where status = 'pending'
      union all select 'notifications queued', count(*)::int from notifications where status = 'queued'
    ) work where count > 0`,
  )
}

/** The last word on each listing is an end; an attempt that was given up for dead is followed by another. */
export const attemptsEnd: Check = async ({ house }) => {
  const rows = await house.query(
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
  return { wrong, looked: attempts, of: `attempts, ${attempts - ends} of them superseded` }
}

import { sql } from 'kysely'
import type { House } from './house.ts'
import type { Ledger } from './ledger.ts'
import type { Stock } from './stock.ts'

/** Breaks each promise on purpose, so that the check of it has something to find; by the names of the checks. */
export const losses: Readonly<
  Record<string, (house: House, stock: Stock, ledger: Ledger) => Promise<unknown>>
> = {
  'every outcome has been learnt': async (_house, _stock, { unknown }) =>
    unknown.set(Symbol(), 'POST /api/v1/bookings'),

  'no answer is a surprise': async (_house, _stock, { surprises }) => surprises.push('404'),

  'every acknowledged write is there': ({ query }, _stock, { prices }) =>
    query(
      sql`update units set base_price_cents = base_price_cents - 1 where id = ${[...prices.keys()][0]}::uuid`,
    ),

  'nothing is there that nobody asked for': async (_house, _stock, { bookings }) =>
    bookings.delete([...bookings.keys()][0]!),

  'no night is sold twice': async ({ query }) => {
    await query(sql`alter table bookings disable trigger bookings_still_fit_rooms`)
    await query(sql`update bookings set rooms = 5000 where id = (select id from bookings where deleted_at is null
      and status = 'confirmed' limit 1)`)
    await query(sql`alter table bookings enable trigger bookings_still_fit_rooms`)
  },

  'every message has one effect': ({ query }, _stock, { messages }) =>
    query(sql`update bookings set external_id = 'another' where external_id = ${[...messages.keys()][0]}`),

  'payments equal those of the provider': ({ query }, _stock, { payments }) =>
    query(sql`update payment_intents set amount = amount + 1 where id = ${[...payments.keys()][0]}::uuid`),

  'the PMS shows what is wanted': async ({ outside }, { scarce: [unit] }) => {
    const units = [{ external_id: unit!.externalId, base_price_cents: 1 }]
    const answer = await fetch(`${outside.pmsUrl}/_control/values`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ property: unit!.targetId, units }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  },

  'nothing is stuck': ({ query }, { wide: [unit] }) =>
    query(sql`update listing_syncs set wanted_version = wanted_version + 1, due_at = now() + interval '1 day'
      where channel_listing_id = ${unit!.listingId}`),

  'every attempt has its end in the history': ({ query }, { wide: [unit] }) =>
    query(sql`insert into sync_audit (org_id, account_id, channel_listing_id, action, attempt, actor)
      select org_id, account_id, id, 'sync.started', 1, '{}' from channel_listings where id = ${unit!.listingId}`),

  'every list answers': ({ apis }) => apis[1]!.kill('SIGKILL'),
}

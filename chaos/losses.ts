import { sql } from '../server/src/db/sql.ts'
import type { Cluster } from './cluster.ts'
import type { Ledger } from './ledger.ts'
import type { Fixtures } from './fixtures.ts'

/** Causes the loss that each check must detect, by the names of the checks. */
export const losses: Readonly<
  Record<string, (cluster: Cluster, fixtures: Fixtures, ledger: Ledger) => Promise<unknown>>
> = {
  'the outcome of every request is known': async (_cluster, _fixtures, { unknown }) =>
    unknown.set(Symbol(), 'POST /api/v1/bookings'),

  'every response was expected': async (_cluster, _fixtures, { unexpected }) => unexpected.push('404'),

  'every acknowledged write is present': ({ query }, _fixtures, { prices }) =>
    query(
      sql`update units set base_price_cents = base_price_cents - 1 where id = ${[...prices.keys()][0]}::uuid`,
    ),

  'no booking is present that was not requested': async (_cluster, _fixtures, { bookings }) =>
    bookings.delete([...bookings.keys()][0]!),

  'no night is overbooked': async ({ query }) => {
    await query(sql`alter table bookings disable trigger bookings_still_fit_rooms`)
    await query(sql`
      update bookings set rooms = 5000
      where id = (select id from bookings where deleted_at is null and status = 'confirmed' limit 1)`)
    await query(sql`alter table bookings enable trigger bookings_still_fit_rooms`)
  },

  'every message has one effect': ({ query }, _fixtures, { messages }) =>
    query(sql`update bookings set external_id = 'another' where external_id = ${[...messages.keys()][0]}`),

  'payments equal those of the provider': ({ query }, _fixtures, { payments }) =>
    query(sql`update payment_intents set amount = amount + 1 where id = ${[...payments.keys()][0]}::uuid`),

  'the PMS has the current values': async ({ sandbox }, { scarce: [unit] }) => {
    const units = [{ external_id: unit!.externalId, base_price_cents: 1 }]
    const response = await fetch(`${sandbox.pmsUrl}/_control/values`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ property: unit!.targetId, units }),
    })
    if (!response.ok) throw new Error(await response.text())
  },

  'nothing is stuck': ({ query }, { wide: [unit] }) =>
    query(sql`update listing_syncs set wanted_version = wanted_version + 1, due_at = now() + interval '1 day'
      where channel_listing_id = ${unit!.listingId}`),

  'the history contains the end of every attempt': ({ query }, { wide: [unit] }) =>
    query(sql`insert into sync_audit (org_id, account_id, channel_listing_id, action, attempt, actor)
      select org_id, account_id, id, 'sync.started', 1, '{}' from channel_listings where id = ${unit!.listingId}`),

  'every list can be read': ({ apis }) => apis[1]!.kill('SIGKILL'),
}

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import type { Cluster } from './cluster.ts'
import type { Check, Ledger } from './ledger.ts'

/** Waits until all work is done; returns how long that took, or the work that is left after the timeout. */
export async function settle(
  cluster: Cluster,
  ledger: Pick<Ledger, 'payments'>,
  seconds = 120,
): Promise<{ seconds: number; left: string[] }> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1_000
  let idleChecks = 0
  for (;;) {
    const work = [...(await findOpenWork(cluster)), ...(await findUnseenPayments(cluster, ledger))]
    idleChecks = work.length === 0 ? idleChecks + 1 : 0
    // Twice in a row, because one kind of work causes another.
    if (idleChecks === 2) return { seconds: passed(), left: [] }
    if (passed() > seconds)
      return { seconds: passed(), left: work.map(({ what, count }) => `${count} ${what}`) }
    await sleep(200)
  }
}

const maxJobSeconds = 15
const workKinds = 7

/** No work is left, but for jobs that became due only now: a read-back, for example, which had waited half a minute. */
export const checkNothingStuck: Check = async ({ cluster, ledger }) => {
  const { left } = await settle(cluster, ledger, maxJobSeconds)
  return { wrong: left, checked: workKinds, of: 'kinds of work' }
}

async function findOpenWork(cluster: Cluster): Promise<{ what: string; count: number }[]> {
  return await cluster.query(
    sql<{ what: string; count: number }>`
      select * from (
        select
          'jobs of ' || queue || case when heartbeat_at is null then ' waiting' else ' running' end as what,
          count(*)::int as count
        from queue.jobs
        where due_at <= now() + interval '12 seconds'
        group by 1
        union all
        select 'listings ' || status, count(*)::int
        from listing_syncs
        where status in ('pending', 'in_progress') or wanted_version <> synced_version
        group by status
        union all
        select 'messages received', count(*)::int
        from webhook_messages
        where status = 'received'
        union all
        select 'payments unsettled', count(*)::int
        from payment_intents
        where provider_reference is null or requested is not null
        union all
        select 'refunds pending', count(*)::int
        from payment_refunds
        where status = 'pending'
        union all
        select 'notifications queued', count(*)::int
        from notifications
        where status = 'queued'
      ) work
      where count > 0`,
  )
}

/** Payments of guests that the product does not know yet: lost webhooks are repeated, and it asks after a minute. */
async function findUnseenPayments(cluster: Cluster, { payments }: Pick<Ledger, 'payments'>) {
  const paid = [...payments].filter(([, { isPaid }]) => isPaid).map(([id]) => id)
  const [row] = await cluster.query(
    sql<{ count: number }>`select count(*)::int as count from payment_intents
      where id = any(${paid}::uuid[]) and status <> 'succeeded'`,
  )
  return row && row.count > 0 ? [{ what: 'payments not received yet', count: row.count }] : []
}

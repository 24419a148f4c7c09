import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import { findOpenWork } from './check-tables.ts'
import type { Cluster } from './cluster.ts'
import type { Ledger } from './ledger.ts'

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
    const work = [...(await findOpenWork({ cluster })), ...(await findUnseenPayments(cluster, ledger))]
    idleChecks = work.length === 0 ? idleChecks + 1 : 0
    // Twice in a row, because one kind of work causes another.
    if (idleChecks === 2) return { seconds: passed(), left: [] }
    if (passed() > seconds)
      return { seconds: passed(), left: work.map(({ what, count }) => `${count} ${what}`) }
    await sleep(200)
  }
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

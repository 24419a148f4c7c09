import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openWork } from './check-tables.ts'
import type { House } from './house.ts'
import type { Ledger } from './ledger.ts'

/** Waits until nothing is left to do; answers how long that took, or what is left when it is not done in time. */
export async function settle(
  house: House,
  ledger: Pick<Ledger, 'payments'>,
  seconds = 120,
): Promise<{ seconds: number; left: string[] }> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1_000
  let quiet = 0
  for (;;) {
    const work = [...(await openWork({ house })), ...(await paymentsUnheardOf(house, ledger))]
    quiet = work.length === 0 ? quiet + 1 : 0
    // Twice in a row: one kind of work leaves another behind.
    if (quiet === 2) return { seconds: passed(), left: [] }
    if (passed() > seconds)
      return { seconds: passed(), left: work.map(({ what, count }) => `${count} ${what}`) }
    await sleep(200)
  }
}

/** The guest has paid and we do not know it yet: a notice that met nobody is repeated, and upkeep asks after a minute. */
async function paymentsUnheardOf(house: House, { payments }: Pick<Ledger, 'payments'>) {
  const paid = [...payments].filter(([, { isPaid }]) => isPaid).map(([id]) => id)
  const [row] = await house.query(
    sql<{ count: number }>`select count(*)::int as count from payment_intents
      where id = any(${paid}::uuid[]) and status <> 'succeeded'`,
  )
  return row && row.count > 0 ? [{ what: 'payments that the guest has made', count: row.count }] : []
}

// What does it cost a write that it carries its notification, instead of a later one that several writes share?
import { sql } from '../server/src/db/sql.ts'
import {
  atomically,
  deferToCommit,
  notifyAfterCommit,
  rows,
  type Transaction,
} from '../server/src/db/scope.ts'
import { reportVerdict, withBenchWorld } from './bench-world.ts'
import { compareVariants } from './side-by-side.ts'

const minRatio = 1.2

await withBenchWorld(async ({ world }) => {
  const { database } = world.resources
  const actor = { type: 'system', id: 'bench', name: 'Bench' } as const
  const scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
  const listener = await database.listen({ bench: () => {} }, () => {})
  let number = 0
  const write = (notify: (transaction: Transaction, payload: string) => void) => () =>
    atomically(scope, async (transaction) => {
      const name = `Space ${number++}`
      notify(transaction, name)
      await rows(
        transaction,
        sql`insert into spaces (org_id, account_id, name, timezone, currency)
          values (${world.home.id}, ${world.home.accountId}, ${name}, 'UTC', 'eur')`,
      )
    })
  const notifyOf = (payloads: readonly string[]) =>
    sql`select pg_notify('bench', payload) from unnest(${payloads}::text[]) payload`
  const perSecond = await compareVariants(
    {
      'in the transaction': write((transaction, name) => deferToCommit(transaction, notifyOf([name]))),
      'after the commit': write((transaction, name) => notifyAfterCommit(transaction, notifyOf, name)),
      'no notification': write(() => {}),
    },
    { rounds: 15, turnMs: 500, concurrency: 16 },
  )
  await listener.stop()
  const ratio = perSecond['after the commit'] / perSecond['in the transaction']
  reportVerdict(
    ratio >= minRatio,
    `notifications after the commit allow ${ratio.toFixed(2)} times the writes, minimum ${minRatio}`,
  )
})

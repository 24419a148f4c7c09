// retention: do tables keep their size at 5,000 events a second, with no expired row deleted?
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { sql } from '../server/src/db/sql.ts'
import { atomically, deferToCommit, type Scope } from '../server/src/db/scope.ts'
import { recordEvents } from '../server/src/features/messaging/events/record-events.ts'
import { retentionSchedule } from '../server/src/features/operations/retention/delete-expired.ts'
import { openOwner } from '../server/src/features/tenancy/provisioning/provision.ts'
import { startScheduler } from '../server/src/queue/periodic-task.ts'
import { openWorld } from '../server/test/world.ts'
import { addUnit } from '../server/test/records.ts'
import { openBenchPostgres } from './bench-postgres.ts'
import { reportVerdict } from './bench-world.ts'
import { compareVariants } from './side-by-side.ts'

/** `node bin/run.mjs bench/retention.ts 5` is the short form, of five minutes; fewer do not show that sizes are steady. */
const minutes = Number(process.argv[2] ?? 10)
const eventsPerSecond = 5_000
const eventsPerTransaction = 50

await using parts = new AsyncDisposableStack()
await openBenchPostgres(parts, { isDurable: true })
const world = parts.use(await openWorld())
const owner = openOwner(world.databaseUrl)
parts.defer(() => owner.close())
const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await owner.pipelined({ orgId: world.home.id }, [statement]))[0]
const { id: orgId, accountId } = world.home
const scope: Scope = {
  ...{ orgId, accountId, traceparent: null, database: world.resources.database },
  actor: { type: 'system', id: 'bench', name: 'Bench' },
}
const unit = await addUnit(await world.home.as('owner'))

await compareInserts()
await keepSize()

/** One event with its transaction, into the table as it is, and into one as it was before it had partitions. */
async function compareInserts() {
  await run(sql`create table plain_events (
    like events including defaults including constraints,
    primary key (org_id, id),
    foreign key (org_id) references organizations (id),
    foreign key (org_id, account_id) references accounts (org_id, id),
    foreign key (org_id, only_for) references webhook_endpoints (org_id, id) on delete cascade)`)
  for (const columns of ['org_id, transaction_id, position', 'org_id, occurred_at, id'])
    await run(sql`create index on plain_events (${sql.raw(columns)})`)
  await run(sql`create index on plain_events using brin (occurred_at)`)
  await run(sql`create index on plain_events (org_id, only_for) where only_for is not null`)
  await run(sql`alter table plain_events enable row level security, force row level security`)
  await run(sql`create policy tenant on plain_events to vacancy_app
    using (org_id = current_org()) with check (org_id = current_org())`)
  await run(sql`grant insert on plain_events to vacancy_app`)
  const insert = (table: string) => () =>
    atomically(scope, async (transaction) =>
      deferToCommit(
        transaction,
        sql`insert into ${sql.ref(table)} (org_id, id, account_id, type, subject_id, data)
          values (${orgId}, ${randomUUID()}, ${accountId}, 'unit.updated', ${unit.id}, ${JSON.stringify({ unit })})`,
      ),
    )
  await compareVariants(
    { 'without partitions': insert('plain_events'), 'with partitions': insert('events') },
    { rounds: 20, turnMs: 500, concurrency: 8 },
  )
  await run(sql`drop table plain_events`)
}

/** Partitions of a minute, kept for a minute, stand for those of a month: only the clock of the retention differs. */
async function keepSize() {
  const partitions = await run(sql<{ name: string }>`select name::text from partitions_of('events')`)
  for (const { name } of partitions) await run(sql`drop table ${sql.raw(name)}`)
  await run(sql`
    update partitioned_tables set period = 'minute', kept_for = '1 minute', ahead = 5 where name = 'events'`)
  await run(sql`select make_partitions()`)
  const stopTasks = startScheduler(
    { database: world.resources.database },
    retentionSchedule({ notificationDays: 90 }),
  )
  const event = { type: 'unit.updated', accountId, subjectId: unit.id, data: { unit } } as const
  const events = Array.from({ length: eventsPerTransaction }, () => event)
  const until = Date.now() + minutes * 60_000
  const startedAt = Date.now()
  let begun = 0
  const writer = async () => {
    while (Date.now() < until) {
      const due = startedAt + (begun / eventsPerSecond) * 1_000
      begun += eventsPerTransaction
      if (due > Date.now()) await sleep(due - Date.now())
      await atomically(scope, (transaction) => recordEvents(transaction, events))
    }
  }
  const sizes: number[] = []
  let deleted = 0
  let partitionCount = 0
  const watcher = async () => {
    for (let second = 1; Date.now() < until; second++) {
      await sleep(Math.max(0, startedAt + second * 1_000 - Date.now()))
      const [state] = await run(sql<{ bytes: number; deleted: number; partitions: number }>`
        select
          coalesce(sum(pg_total_relation_size(name)), 0)::float8 as bytes,
          coalesce(sum(pg_stat_get_tuples_deleted(name)), 0)::int as deleted,
          count(*)::int as partitions
        from partitions_of('events')`)
      deleted = Math.max(deleted, state!.deleted)
      partitionCount = Math.max(partitionCount, state!.partitions)
      sizes.push(state!.bytes / 2 ** 20)
    }
  }
  await Promise.all([watcher(), ...Array.from({ length: 8 }, writer)])
  await stopTasks()
  const rate = begun / ((Date.now() - startedAt) / 1_000)
  // The largest size of each minute. The third minute is the first at whose end a partition is dropped.
  const peaks = Array.from({ length: minutes }, (_, minute) =>
    Math.round(Math.max(...sizes.slice(minute * 60, minute * 60 + 60))),
  )
  console.log(
    `${Math.round(rate)} events a second for ${minutes} minutes, at most ${partitionCount} partitions`,
  )
  console.log(`largest size of each minute, MiB: ${peaks.join(', ')}`)
  const steady = peaks.slice(3)
  reportVerdict(rate >= eventsPerSecond * 0.98, 'events are written at this rate')
  reportVerdict(Math.max(...steady) <= 1.1 * steady[0]!, 'the size is steady from the fourth minute on')
  reportVerdict(deleted === 0, 'no row was deleted')
}

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import pMap from 'p-map'
import { expectStatus } from '../server/test/expect.ts'
import type { TestImport } from '../server/test/imports.ts'
import { addTarget } from '../server/test/records.ts'
import { reportVerdict, type BenchWorld } from './bench-world.ts'

const maxMinutes = 10
/** The worker is killed when so many units are made, and when so many bookings are. */
const [unitsAtKill, bookingsAtKill] = [100, 4_000]

/** Imports what the targets have while its worker is killed twice, and prints what was made of what was expected. */
export async function measureImport(
  bench: BenchWorld,
  {
    configs,
    expected,
    control,
  }: {
    /** Of each target; all are imported at the same time. */
    configs: readonly object[]
    expected: Record<string, number>
    /** Sends a control request to the sandbox. */
    control(method: string, path: string): Promise<{ body: unknown }>
  },
): Promise<void> {
  const { last } = (await control('GET', 'calls')).body as { last: number }
  const startedAt = performance.now()
  const imports = await planImports(bench, configs)
  const unitsAt = await workUntil(bench, imports, (state) => state.units >= unitsAtKill)
  const bookingsAt = await workUntil(bench, imports, (state) => state.bookings >= bookingsAtKill)
  await workUntil(bench, imports, ({ open }) => open === 0)
  const minutes = (performance.now() - startedAt) / 60_000
  const made = await countMade(bench)
  const { calls } = (await control('GET', `calls?after=${last}`)).body as {
    calls: { status: number | null }[]
  }
  const limited = calls.filter(({ status }) => status === 429).length
  console.log('| | expected | made | made twice |\n|---|--:|--:|--:|')
  for (const [name, count] of Object.entries(expected))
    console.log(`| ${name} | ${count} | ${made[name]!.total} | ${made[name]!.total - made[name]!.distinct} |`)
  console.log(
    `\nKilled at ${unitsAt.units} units and at ${bookingsAt.bookings} bookings. ${made['conflicts']!.total} booking conflicts. ` +
      `Calls answered with 429: ${limited}.`,
  )
  const isExact = Object.entries(expected).every(
    ([name, count]) => made[name]!.total === count && made[name]!.distinct === count,
  )
  reportVerdict(
    minutes <= maxMinutes && isExact && limited === 0,
    `at most ${maxMinutes} minutes, nothing missing and nothing twice: ${minutes.toFixed(1)} minutes`,
  )
}

/** Connects each target with its documented limits, plans its import, and runs it. */
async function planImports(bench: BenchWorld, configs: readonly object[]): Promise<string[]> {
  const { operator } = bench
  const imports = await pMap(configs, async (config) => {
    const target = await addTarget(operator, { config })
    const created = await operator.post('/api/v1/imports', { channel_target_id: target.id })
    return expectStatus(created, 201).import.id as string
  })
  await using _worker = await startWorker(bench)
  const isPlanned = async () =>
    (await readImports(bench, imports)).every(({ status }) => status === 'planned')
  while (!(await isPlanned())) await sleep(200)
  for (const id of imports) expectStatus(await operator.post(`/api/v1/imports/${id}/run`), 200)
  return imports
}

/** Works until the state is reached, then kills the worker. */
async function workUntil(bench: BenchWorld, imports: string[], isReached: (state: Progress) => boolean) {
  const worker = await startWorker(bench)
  for (;;) {
    const state = await progressOf(bench, imports)
    if (isReached(state)) {
      await worker.kill('SIGKILL')
      return state
    }
    await sleep(250)
  }
}

/** Imports are worked in this queue. The folder is that of the photos. */
function startWorker({ world, startWorker: start }: BenchWorld) {
  return start({ queues: ['upkeep'], env: { VACANCY_HOME: world.config.home } })
}

type Progress = Awaited<ReturnType<typeof progressOf>>

async function progressOf(bench: BenchWorld, imports: string[]) {
  const states = await readImports(bench, imports)
  const failed = states.find(({ status }) => status === 'failed' || status === 'cancelled')
  if (failed) throw new Error(`An import ended: ${failed.error_message}`)
  const sum = (of: (state: TestImport) => number) => states.reduce((total, state) => total + of(state), 0)
  return {
    open: sum(({ status }) => (status === 'completed' ? 0 : 1)),
    units: sum(({ counts }) => counts.find(({ kind }) => kind === 'unit')?.done ?? 0),
    bookings: sum(({ bookings_imported: count }) => count),
  }
}

function readImports({ operator }: BenchWorld, imports: string[]): Promise<TestImport[]> {
  return Promise.all(
    imports.map(
      async (id) => expectStatus(await operator.get(`/api/v1/imports/${id}`), 200).import as TestImport,
    ),
  )
}

/** What was made, and how much of it is different. */
async function countMade({
  query,
}: BenchWorld): Promise<Record<string, { total: number; distinct: number }>> {
  const rows = await query(
    sql<{ name: string; total: number; distinct: number }>`
      select 'spaces' as name, count(*)::int as total, count(distinct name)::int as distinct from spaces
      union all
      select 'units', count(*)::int, count(distinct name)::int from units
      union all
      select 'rate plans', count(*)::int, count(distinct unit_id)::int from rate_plans
      union all
      select 'listings', count(*)::int, count(distinct external_id)::int from channel_listings
      union all
      select 'photos', count(*)::int, count(distinct source_url)::int from media
      union all
      select 'bookings', count(*)::int, count(distinct external_id)::int from bookings
      union all
      select 'conflicts', count(*)::int, count(*)::int from booking_conflicts`,
  )
  return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]))
}

// Which lists, searches and analytics slow down when an organization grows from 1,000 units and bookings to a million?
import pg from 'pg'
import { callerFor, type TestCaller } from '../server/test/caller.ts'
import type { TestOrganization } from '../server/test/world.ts'
import { quantile, reportVerdict, startApi, withBenchWorld } from './bench-world.ts'
import { growthPaths, type KnownIds } from './growth-paths.ts'
import { fillOrganizations } from './growth-records.ts'

/** Units, rate plans, listings, bookings and entries of each history of the large organization. */
const size = Number(process.env['GROWTH_SIZE'] ?? 100_000)
const smallSize = 1_000
const rounds = 9
/** Rows of the table; all paths are compared with the limits. */
const shown = 30

interface Result {
  readonly path: string
  readonly small: readonly number[]
  readonly large: readonly number[]
}

await withBenchWorld(async (bench) => {
  const { home, away } = bench.world
  const owner = new pg.Client({ connectionString: bench.world.databaseUrl })
  owner.on('error', () => {}) // reported by the query that fails
  await owner.connect()
  await fillOrganizations(owner, [
    { ...away, size: smallSize },
    { ...home, size },
  ])
  await using api = await startApi(bench, 'bench-token')
  const [small, large] = await Promise.all(
    [away, home].map(async (organization) => ({
      paths: growthPaths(await idsOf(owner, organization.id)),
      caller: await callerOf(api.facts.url!, organization),
    })),
  )
  await owner.end()
  const results: Result[] = []
  for (const [at, path] of large!.paths.entries()) {
    const ofLarge = await timesOf(large!.caller, path)
    // An example that is no value of the filter.
    if (ofLarge === undefined) continue
    results.push({ path, large: ofLarge, small: (await timesOf(small!.caller, small!.paths[at]!))! })
  }
  report(results)
})

/** Records of the organization that the filters name: one of the first, as the others are found alike. */
async function idsOf(owner: pg.Client, orgId: string): Promise<KnownIds> {
  const { rows } = await owner.query<KnownIds>(
    `select booking.org_id, booking.account_id, booking.unit_id, unit.space_id, booking.unit_id as record_id,
        plan.id as rate_plan_id, listing.id as channel_listing_id, listing.channel_target_id, booking.external_id,
        booking.guest_email, booking.guest_phone,
        (select job_id from sync_audit where org_id = $1 order by created_at limit 1) as job_id
      from (select * from bookings where org_id = $1 and external_id is not null order by created_at limit 1) booking
      join units unit on unit.id = booking.unit_id
      join rate_plans plan on plan.unit_id = unit.id
      join channel_listings listing on listing.unit_id = unit.id`,
    [orgId],
  )
  return rows[0]!
}

async function callerOf(url: string, organization: TestOrganization): Promise<TestCaller> {
  // A large organization takes longer than the usual lifetime of a token.
  const { token } = await organization.as('owner', { exp: Math.floor(Date.now() / 1_000) + 10_800 })
  return callerFor(url, token, { 'x-internal-token': 'bench-token' })
}

/** The times of a path, without the first one, which plans the statement; undefined when the example is no valid value. */
async function timesOf(caller: TestCaller, path: string): Promise<number[] | undefined> {
  const timesMs: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now()
    const { status, text } = await caller.get(path)
    if (status >= 400 && status < 500) return undefined
    // A statement that takes too long is ended.
    if (status === 503) return [performance.now() - startedAt]
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    if (round > 0) timesMs.push(performance.now() - startedAt)
    if (timesMs.length === 3 && timesMs[0]! > 200) break
  }
  return timesMs
}

function median(timesMs: readonly number[]): number {
  return quantile(timesMs, 0.5)
}

function limitOf({ path }: Result): number {
  return path.startsWith('/api/v1/admin/analytics') ? 50 : 10
}

function report(results: readonly Result[]): void {
  const sorted = results.toSorted((a, b) => median(b.large) - median(a.large))
  console.log(`| path | p50 ms of ${smallSize} | p99 | p50 ms of ${size} | p99 | ratio |`)
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const { path, small, large } of sorted.slice(0, shown)) {
    const cells = [median(small), quantile(small, 0.99), median(large), quantile(large, 0.99)]
    const ratio = median(large) / median(small)
    console.log(`| ${[path, ...[...cells, ratio].map((value) => value.toFixed(1))].join(' | ')} |`)
  }
  const slow = results.filter((one) => median(one.large) > limitOf(one))
  reportVerdict(
    slow.length === 0,
    `${results.length - slow.length} of ${results.length} paths take at most 10 ms of ${size} at the median, analytics 50`,
  )
}

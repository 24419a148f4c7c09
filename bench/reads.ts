// How fast is a list of 20 units as stored text, as columns, and as JSON built by PostgreSQL?
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { Pool } from 'undici'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'
import { addRecords } from './ceiling-operations.ts'
import { reportVerdict, startApi, withBenchWorld } from './bench-world.ts'
import { compareVariants, processorUs } from './side-by-side.ts'

const internalToken = 'bench-token'
const minRatio = 1.5

/** All by HTTP from processes of their own: the lists by a bare Fastify + pg, and the product. */
await withBenchWorld(async (bench) => {
  await using parts = new AsyncDisposableStack()
  parts.use(await bench.startWorker())
  await addRecords(bench)
  await bench.refreshStatistics()
  const env = { DATABASE_URL: bench.world.databaseUrl, ORG_ID: bench.world.home.id }
  const startBare = async (more: Record<string, string>) =>
    parts.use(await startNodeProcess({ file: 'bench/bare-service.ts', env: { ...env, ...more } }))
  const [named, unnamed] = [await startBare({}), await startBare({ UNNAMED: '1' })]
  const product = parts.use(await startApi(bench, internalToken))
  const authorization = `Bearer ${bench.operator.token}`
  const reader = ({ facts }: NodeProcess, path: string, headers: Record<string, string> = {}) => {
    const pool = parts.adopt(new Pool(facts.url!, { connections: 16 }), (one) => one.destroy())
    return async () => {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(text)
      return text
    }
  }
  const variants = {
    'stored text': reader(named, '/units'),
    'columns, nested and serialised by Node': reader(named, '/columns'),
    'JSON built by PostgreSQL': reader(named, '/built'),
    'stored text, unnamed statements': reader(unnamed, '/units'),
    'columns, unnamed statements': reader(unnamed, '/columns'),
    'JSON built, unnamed statements': reader(unnamed, '/built'),
    'the product: stored text, with all that it checks and counts': reader(
      product,
      '/api/v1/units?limit=20',
      {
        ...{ authorization, 'x-internal-token': internalToken },
      },
    ),
  }
  await assertEqualResults(Object.values(variants))
  const pids = [named, unnamed, product].map(({ pid }) => pid)
  const perSecond = await compareVariants(variants, {
    ...{ rounds: 10, turnMs: 700, concurrency: 16 },
    cpuUs: () => pids.reduce((sum, pid) => sum + processorUs(pid), 0),
  })
  const ratio = perSecond['stored text'] / perSecond['columns, nested and serialised by Node']
  reportVerdict(
    ratio >= minRatio,
    `stored text is ${ratio.toFixed(2)} times as fast as columns, minimum ${minRatio}`,
  )
})

async function assertEqualResults(variants: readonly (() => Promise<string>)[]) {
  const [first, ...others] = await Promise.all(
    variants.map(async (read) => (JSON.parse(await read()) as { units: unknown[] }).units),
  )
  assert.equal(first!.length, 20)
  for (const other of others) assert.ok(isDeepStrictEqual(other, first), 'The lists differ.')
}

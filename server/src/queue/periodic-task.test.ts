import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { until } from '../../test/linked-units.ts'
import { parseMetrics } from '../../test/prometheus-text.ts'
import { shareWorld } from '../../test/share-world.ts'
import { forEachOrganization, startScheduler } from './periodic-task.ts'

const { world } = shareWorld()

/** A scheduler with one task that counts how often it ran, on a database whose connection can be cut. */
function startCounting() {
  const { database } = world.resources
  let runs = 0
  let isCut = false
  const cutDatabase: Database = {
    ...database,
    pipelined: (context, statements) =>
      isCut ? Promise.reject(new Error('cut')) : database.pipelined(context, statements),
  }
  const task = { name: 'count', intervalMs: 20, run: async () => void runs++ }
  const stop = startScheduler({ database: cutDatabase }, [task])
  return { stop, runs: () => runs, cut: () => (isCut = true) }
}
type Counting = ReturnType<typeof startCounting>

const hasRun = ({ runs }: Counting, times: number) =>
  until(
    async () => runs(),
    (seen) => seen >= times,
  )

test('of several workers one runs the periodic tasks, and another when it stops', async (t) => {
  const first = startCounting()
  await hasRun(first, 3)
  const second = startCounting()
  t.after(second.stop)
  await hasRun(first, first.runs() + 60)
  assert.equal(second.runs(), 0)
  await first.stop()
  const atEnd = first.runs()
  await hasRun(second, 3)
  assert.equal(first.runs(), atEnd)
})

test('a worker that cannot renew its term is replaced, and runs nothing after it', async (t) => {
  const first = startCounting()
  t.after(first.stop)
  await hasRun(first, 1)
  const second = startCounting()
  t.after(second.stop)
  first.cut()
  await hasRun(second, 3)
  const atEnd = first.runs()
  await hasRun(second, second.runs() + 10)
  assert.equal(first.runs(), atEnd)
})

test('a task that fails is counted by its name, and runs again', async (t) => {
  const counted = async () => {
    const { samples } = parseMetrics((await world.caller(null).get('/metrics')).text)
    const found = samples.find(({ labels }) => labels['task'] === 'failing')
    return [found?.labels['outcome'], found?.value ?? 0] as const
  }
  const run = () => Promise.reject(new Error('It fails each time.'))
  t.after(startScheduler(world.resources, [{ name: 'failing', intervalMs: 20, run }]))
  const [outcome] = await until(counted, ([, count]) => count >= 2)
  assert.equal(outcome, 'failed')
})

test('an error of one organization does not keep the work from those after it, and is reported', async () => {
  const organizations = [world.home.id, world.away.id].map((org_id) => ({ org_id }))
  const worked: string[] = []
  const work = forEachOrganization(world.resources, organizations, async ({ connection, orgId }) => {
    if (orgId === world.home.id) await connection.run(sql`select 1 / 0`)
    worked.push(orgId)
  })
  await assert.rejects(work, { code: '22012' })
  assert.deepEqual(worked, [world.away.id])
})

// Which files of the product does one price change pass, in the API and in the worker?
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeProcess } from '../server/test/node-process.ts'
import { addLinkedUnit, setPrice, statusOf, until } from '../server/test/linked-units.ts'
import { followSyncs } from '../server/test/sync-stream.ts'
import { callerFor } from '../server/test/caller.ts'
import { startApi, withBenchWorld, type ProcessOptions } from './bench-world.ts'

/** Longer than the debounce, the push and the interval at which the queue is polled. */
const windowMs = 5_000
/** Every periodic task that runs once a minute or more often runs in it, so that none is taken for a part of the change. */
const idleMs = 65_000

await withBenchWorld(async (bench) => {
  await using processes = new AsyncDisposableStack()
  const api = processes.use(
    await startMeasured((options) => startApi(bench, randomUUID(), bench.world.databaseUrl, options)),
  )
  const worker = processes.use(await startMeasured((options) => bench.startWorker(options)))
  const { token } = await bench.world.home.as('owner')
  const owner = callerFor(api.url!, token)
  const listing = await addLinkedUnit(owner)
  const stream = processes.use(await followSyncs(api.url!, owner))
  const synced = () =>
    until(
      () => statusOf(owner, listing),
      ({ in_sync }) => in_sync,
    )
  await synced()
  // What runs once in a process, and not for each change, is not counted.
  await setPrice(owner, listing, 20_000)
  await sleep(windowMs)
  await synced()

  const filesDuring = async (work: () => Promise<unknown>) => {
    await Promise.all([api.takeFiles(), worker.takeFiles()])
    await work()
    return await Promise.all([api.takeFiles(), worker.takeFiles()])
  }
  const idle = await filesDuring(() => sleep(idleMs))
  const events = stream.received.length
  const changed = await filesDuring(async () => {
    await setPrice(owner, listing, 30_000)
    await sleep(windowMs)
  })
  const statuses = stream.received.slice(events).map(({ data }) => data.status)
  if (statuses.at(-1) !== 'completed') throw new Error(`The stream sent ${statuses.join(', ')}.`)

  const [inApi, inWorker] = changed.map(
    (files, at) => new Set([...files].filter((file) => !idle[at]!.has(file))),
  ) as [Set<string>, Set<string>]
  const all = [...new Set([...inApi, ...inWorker])].sort()
  for (const file of all)
    console.log(`${inApi.has(file) ? 'api' : '   '} ${inWorker.has(file) ? 'worker' : '      '} ${file}`)
  console.log(`\n${inApi.size} files in the API, ${inWorker.size} in the worker, ${all.length} in all`)
})

interface MeasuredProcess extends AsyncDisposable {
  url: string | undefined
  /** The files of server/src with a function that ran since the last call. */
  takeFiles(): Promise<Set<string>>
}

/** A process that writes what V8 counted, and counts from zero again, at each SIGUSR2. */
async function startMeasured(
  start: (options: ProcessOptions) => Promise<NodeProcess>,
): Promise<MeasuredProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-coverage-'))
  const hook = `import v8 from 'node:v8'; process.on('SIGUSR2', () => v8.takeCoverage())`
  const process = await start({
    env: { NODE_V8_COVERAGE: folder },
    flags: [`--import=data:text/javascript,${encodeURIComponent(hook)}`],
  })
  return {
    url: process.facts.url,
    takeFiles: () => takeFiles(process, folder),
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface CoverageReport {
  result: {
    url: string
    functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[]
  }[]
}

async function takeFiles(process: NodeProcess, folder: string): Promise<Set<string>> {
  const before = new Set(readdirSync(folder))
  process.signal('SIGUSR2')
  const [report] = await until(
    async () =>
      readdirSync(folder)
        .filter((name) => !before.has(name))
        .map((name) => readReport(join(folder, name))),
    ([first]) => first !== undefined && first !== null,
  )
  const ran = report!.result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
  return new Set(ran.flatMap(({ url }) => url.split('/server/src/')[1] ?? []))
}

/** Null while the process is still writing it. */
function readReport(path: string): CoverageReport | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as CoverageReport
  } catch {
    return null
  }
}

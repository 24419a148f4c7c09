/** `vacancy start`: starts every component, restarts those that end, and stops them in order. */
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '#config/config.ts'
import { explainFullDisk } from '#process/full-disk.ts'
import { boot, workersOf } from './boot.ts'
import { validateSettings, type Environment } from './environment.ts'
import { openHome } from './home.ts'
import { openComponents, StartAborted } from './components.ts'
import { isFree } from './ports.ts'
import { openProgress } from './progress.ts'

export interface SuperviseOptions {
  env: Environment
  root: string
  out: NodeJS.WriteStream
  asJson?: boolean
  /** By default the memory of the machine decides. */
  singleWorker?: boolean
}

/** Two more workers take about 180 MB, which a smaller machine should not spend. */
const minMemoryForSeparateWorkers = 4 * 1024 ** 3

/** Returns the exit code when everything has stopped. @throws Error with a sentence for the operator */
export async function supervise(options: SuperviseOptions) {
  const { env, root, out, asJson = false, singleWorker = isSmallMachine() } = options
  const config = validateSettings(env)
  assertMetricsPorts(config.metrics.port, workersOf({ singleWorker }).length)
  const { port, host } = config.http
  const folder = env['VACANCY_HOME'] || join(root, '.vacancy')
  const home = openHomeFolder(folder)
  const progress = openProgress(out, asJson)
  const components = openComponents()
  const exitCode = Promise.withResolvers<number>()
  const unlisten = onStopSignals(
    () => exitCode.resolve(0),
    () => void components.stopAll({ isForced: true }),
  )
  try {
    if (port !== 0) await checkPort(port, host)
    const booting = boot({
      config,
      env,
      root,
      home,
      progress,
      components,
      port,
      singleWorker,
      fail: exitCode.reject,
    })
    await Promise.race([booting, exitCode.promise])
    const code = await exitCode.promise
    progress.print({ stopping: true }, '\n')
    await progress.step(
      () => Promise.all([components.stopAll(), booting.catch(() => {})]),
      () => 'Everything stopped',
    )
    return code
  } catch (error) {
    await components.stopAll()
    if (!(error instanceof StartAborted)) throw explainFullDisk(error, folder)
    return 0
  } finally {
    unlisten()
    home.close()
  }
}

function openHomeFolder(folder: string) {
  try {
    return openHome(folder)
  } catch (error) {
    throw explainFullDisk(error)
  }
}

/** By the memory of the machine or the limit of its container. */
const isSmallMachine = () =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity) < minMemoryForSeparateWorkers

/** Each worker after the first takes the next port. */
function assertMetricsPorts(first: number | null, workers: number) {
  const max = 65_536 - workers
  if (first !== null && first > max)
    throw new ConfigError([`METRICS_PORT must be at most ${max} with ${workers} workers, not "${first}".`])
}

/** `localhost` may resolve to 127.0.0.1 or ::1. */
async function checkPort(port: number, host: string) {
  const hosts = host === '127.0.0.1' ? [host, '::1'] : [host]
  for (const each of hosts) {
    if (await isFree(port, each)) continue
    throw new Error(
      `Port ${port} is in use: stop the other program or start with PORT=${port + 1} npm start.`,
    )
  }
}

/** One Ctrl-C may arrive several times at once, through npm and through the process group. */
function onStopSignals(onFirst: () => void, onRepeated: () => void) {
  let firstAt = 0
  const handle = () => {
    if (firstAt === 0) onFirst()
    else if (performance.now() - firstAt > 1_000) onRepeated()
    firstAt ||= performance.now()
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']
  for (const name of names) process.on(name, handle)
  process.channel?.unref()
  return () => names.forEach((name) => process.off(name, handle))
}

// `vacancy start`: brings every part up, watches them, and takes them down in order.
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { explainFullDisk } from '#full-disk.ts'
import { bringUp } from './bring-up.ts'
import { checkSettings, type Environment } from './environment.ts'
import { openHome } from './home.ts'
import { openParts, Stopped } from './parts.ts'
import { isFree } from './ports.ts'
import { openProgress } from './progress.ts'

export type Supervision = {
  env: Environment
  root: string
  out: NodeJS.WriteStream
  asJson?: boolean
  /** Left out, the memory of the machine decides. */
  hasSingleWorker?: boolean
}

/** Two more workers take some 180 MB; a machine below this has better use for them. */
const separateWorkersFromBytes = 4 * 1024 ** 3

/** Returns the exit code when everything is gone. Throws a sentence when the start cannot even begin. */
export async function supervise(supervision: Supervision) {
  const { env, root, out, asJson = false, hasSingleWorker = isSmallMachine() } = supervision
  const config = checkSettings(env)
  const { port, host } = config.http
  const folder = env['VACANCY_HOME'] || join(root, '.vacancy')
  const home = openHomeOn(folder)
  const progress = openProgress(out, asJson)
  const parts = openParts()
  const end = Promise.withResolvers<number>()
  const unlisten = listenForTheEnd(
    () => end.resolve(0),
    () => void parts.stopAll({ isForced: true }),
  )
  try {
    if (port !== 0) await checkPort(port, host)
    const up = bringUp({ env, root, home, progress, parts, host, port, hasSingleWorker, fail: end.reject })
    await Promise.race([up, end.promise])
    const code = await end.promise
    progress.print({ stopping: true }, '\n')
    await progress.step(
      () => Promise.all([parts.stopAll(), up.catch(() => {})]),
      () => 'Everything stopped',
    )
    return code
  } catch (error) {
    await parts.stopAll()
    if (!(error instanceof Stopped)) throw explainFullDisk(error, folder)
    return 0
  } finally {
    unlisten()
    home.close()
  }
}

function openHomeOn(folder: string) {
  try {
    return openHome(folder)
  } catch (error) {
    throw explainFullDisk(error)
  }
}

/** What the machine has, or what its container may use. */
const isSmallMachine = () =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity) < separateWorkersFromBytes

/** The name localhost may lead to either address. */
async function checkPort(port: number, host: string) {
  const hosts = host === '127.0.0.1' ? [host, '::1'] : [host]
  for (const each of hosts) {
    if (await isFree(port, each)) continue
    throw new Error(
      `Port ${port} is in use: stop the other program or start with PORT=${port + 1} npm start.`,
    )
  }
}

/** Ctrl-C in a terminal may arrive several times at once, through npm and through the group. */
function listenForTheEnd(first: () => void, again: () => void) {
  let firstAt = 0
  const heard = () => {
    if (firstAt === 0) first()
    else if (performance.now() - firstAt > 1_000) again()
    firstAt ||= performance.now()
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']
  for (const name of names) process.on(name, heard)
  process.channel?.unref()
  return () => names.forEach((name) => process.off(name, heard))
}

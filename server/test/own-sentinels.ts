import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { reservePort } from './reserve-port.ts'
import { startServer } from './own-redis.ts'
import { removeFolder } from './remove-folder.ts'

export interface OwnSentinels extends AsyncDisposable {
  /** For REDIS_URL: the name of the primary stands for its address. */
  url: string
  /** For REDIS_SENTINELS. */
  sentinels: string
  /** Kills the primary; the sentinels make the other Redis the primary. */
  killPrimary(): Promise<void>
  /** Stops the sentinels, so that they do not respond, and closes the connections of all clients. */
  hangSentinels(): Promise<void>
  resumeSentinels(): void
  /** Starts the killed Redis again; resolves when it is a replica of the other. */
  restart(): Promise<void>
}

/** Two Redis and three sentinels with the configuration in deploy/high-availability, on ports of their own. */
export async function startSentinels(): Promise<OwnSentinels> {
  await using parts = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-sentinels-'))
  parts.defer(() => removeFolder(folder))
  const redisPath = join(folder, 'redis.conf')
  writeFileSync(redisPath, readConfiguration('redis.conf'))
  const servers = new Map<number, ChildProcess>()
  const start = async (flags: string[], port: number) => {
    servers.set(port, await startServer(port, flags))
    return port
  }
  parts.defer(async () => void (await Promise.all([...servers.values()].map(killServer))))

  let primary = await start([redisPath], await reservePort())
  let replica = await start([redisPath, '--replicaof', '127.0.0.1', `${primary}`], await reservePort())
  const sentinels: number[] = []
  for (const name of ['a', 'b', 'c']) {
    const path = join(folder, `${name}.conf`)
    const text = readConfiguration('sentinel.conf')
    writeFileSync(path, text.replace('10.0.0.11 6379', `127.0.0.1 ${primary}`))
    sentinels.push(await start([path, '--sentinel'], await reservePort()))
  }
  const haveFound = async () => {
    const known = await Promise.all(sentinels.map((port) => ask(port, 'info', 'sentinel')))
    return known.every((text) => text.includes(`status=ok,address=127.0.0.1:${primary},slaves=1,sentinels=3`))
  }
  const isReplicated = async () => (await ask(primary, 'info', 'replication')).includes('state=online')
  while (!((await haveFound()) && (await isReplicated()))) await sleep(50)

  const opened = parts.move()
  return {
    url: 'redis://vacancy',
    sentinels: sentinels.map((port) => `127.0.0.1:${port}`).join(','),
    async killPrimary() {
      await killServer(servers.get(primary)!)
      ;[primary, replica] = [replica, primary]
    },
    async hangSentinels() {
      for (const port of sentinels) servers.get(port)!.kill('SIGSTOP')
      await ask(primary, 'client', 'kill', 'type', 'normal')
    },
    resumeSentinels() {
      for (const port of sentinels) servers.get(port)!.kill('SIGCONT')
    },
    async restart() {
      await start([redisPath, '--replicaof', '127.0.0.1', `${primary}`], replica)
      while (!((await haveFound()) && (await isReplicated()))) await sleep(50)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const readConfiguration = (name: string) =>
  readFileSync(resolve(import.meta.dirname, '../../deploy/high-availability', name), 'utf8')

/** The reply, or an empty text from a Redis that is not there. */
const ask = (port: number, ...command: string[]) =>
  promisify(execFile)('redis-cli', ['-p', `${port}`, ...command]).then(
    ({ stdout }) => stdout,
    () => '',
  )

async function killServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

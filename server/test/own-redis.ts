import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { reservePort } from './reserve-port.ts'
import { signalOnExit } from '#start/signal-on-exit.ts'

/** The URL of the Redis for tests. Without one these tests are skipped, which the runner reports; CI requires it. */
export const sharedRedis: string | undefined = process.env['TEST_REDIS_URL']

export interface RedisFixture extends AsyncDisposable {
  url: string
  /** Stops the process, so that connections stay open without replies. */
  hang(): void
  resume(): void
  kill(): Promise<void>
  /** Starts an empty Redis on the same port. */
  restart(): Promise<void>
}

/** Starts a Redis for one test, which can be stopped and killed. */
export async function startRedis(): Promise<RedisFixture> {
  const port = await reservePort()
  let server = await startServer(port)
  const die = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    hang: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    kill: die,
    restart: async () => {
      server = await startServer(port)
    },
    [Symbol.asyncDispose]: die,
  }
}

/** Starts an empty Redis, or by other flags a replica or a Sentinel. */
export async function startServer(
  port: number,
  flags = ['--save', '', '--appendonly', 'no'],
): Promise<ChildProcess> {
  const args = [...flags, '--port', String(port), '--bind', '127.0.0.1']
  const server = spawn('redis-server', args, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of server.stdout) {
    output += String(text)
    if (/Ready to accept connections|Sentinel ID is/.test(output)) break
  }
  const exitSignal = signalOnExit(server.pid!, 'TERM')
  server.once('exit', exitSignal.cancel)
  server.stdout.resume()
  return server
}

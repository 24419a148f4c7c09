import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { findFreePort } from '#start/ports.ts'

/** Where there is a Redis to test on; without one the runner says so at its end, and CI does not begin. */
export const sharedRedis: string | undefined = process.env['TEST_REDIS_URL']

export interface OwnRedis extends AsyncDisposable {
  url: string
  /** It keeps its connections and says nothing. */
  hang(): void
  goOn(): void
  die(): Promise<void>
  /** Another one, in the same place and empty. */
  comeBack(): Promise<void>
}

/** A Redis of a test's own, which may be stopped and killed. */
export async function startRedis(): Promise<OwnRedis> {
  const port = await findFreePort()
  let server = await begin(port)
  const die = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    hang: () => void server.kill('SIGSTOP'),
    goOn: () => void server.kill('SIGCONT'),
    die,
    comeBack: async () => {
      server = await begin(port)
    },
    [Symbol.asyncDispose]: die,
  }
}

async function begin(port: number): Promise<ChildProcess> {
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', flags, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const text of server.stdout) {
    said += String(text)
    if (said.includes('Ready to accept connections')) break
  }
  server.stdout.resume()
  return server
}

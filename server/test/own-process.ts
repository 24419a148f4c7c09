import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const bin = (name: string) => resolve(import.meta.dirname, `../bin/${name}.ts`)

export interface OwnProcess extends AsyncDisposable {
  /** What it said when it was ready. */
  facts: { url?: string }
  /** Everything it wrote so far. */
  said(): string
  /** Null while it runs. */
  exitCode(): number | null
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** The API or a worker in a process of its own, as in production; all that it writes is kept. */
export async function startOwn(entrance: 'api' | 'worker', env: Record<string, string>): Promise<OwnProcess> {
  const child = fork(bin(entrance), [], {
    // As in a world: tests ask more often in a minute than anybody.
    env: { PATH: process.env['PATH'], RATE_LIMITS: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += text))
  const ended = once(child, 'exit')
  const [facts] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`It ended at once: ${said}`))),
  ])) as [{ url?: string }]
  const kill: OwnProcess['kill'] = async (signal) => {
    child.kill(signal)
    await ended
  }
  return {
    facts,
    said: () => said,
    exitCode: () => child.exitCode,
    kill,
    [Symbol.asyncDispose]: () => kill('SIGTERM'),
  }
}

/** One command of the command line: how it ended, and all that it wrote. */
export async function runCommand(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [bin('vacancy'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

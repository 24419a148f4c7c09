import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const bin = (name: string) => resolve(import.meta.dirname, `../bin/${name}.ts`)

export interface TestProcess extends AsyncDisposable {
  /** The message that it sent when it was ready. */
  facts: { url?: string }
  /** All of its output so far. */
  output(): string
  /** Null while it is running. */
  exitCode(): number | null
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** Starts the API or a worker in a process of its own, and records its output. */
export async function startTestProcess(
  entrance: 'api' | 'worker',
  env: Record<string, string>,
): Promise<TestProcess> {
  const child = fork(bin(entrance), [], {
    // Tests exceed the rate limits.
    env: { PATH: process.env['PATH'], RATE_LIMITS: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += text))
  const ended = once(child, 'exit')
  const [facts] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`The process ended: ${said}`))),
  ])) as [{ url?: string }]
  const kill: TestProcess['kill'] = async (signal) => {
    child.kill(signal)
    await ended
  }
  return {
    facts,
    output: () => said,
    exitCode: () => child.exitCode,
    kill,
    [Symbol.asyncDispose]: () => kill('SIGTERM'),
  }
}

/** Runs a command; returns its exit code and output. */
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

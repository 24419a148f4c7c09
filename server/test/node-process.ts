import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The addresses that a program serves. */
interface ReadyMessage {
  readonly url?: string
  readonly monitoring_url?: string
  readonly pms_url?: string
  readonly payments_url?: string
  readonly mail_url?: string
  readonly smtp_url?: string
}

/** A program of this repository in a process of its own. */
export interface NodeProcess extends AsyncDisposable {
  readonly pid: number
  /** The message that it sent when it was ready. */
  readonly facts: ReadyMessage
  /** All of its output so far. */
  output(): string
  isRunning(): boolean
  /** Null while it is running, and after a signal. */
  exitCode(): number | null
  signal(name: NodeJS.Signals): void
  /** Sends the signal and waits until the process has ended; resolves with its exit code. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

export interface NodeProcessOptions {
  /** From the root of the repository, or of another one. */
  readonly file: string
  readonly root?: string
  readonly args?: readonly string[]
  readonly flags?: readonly string[]
  readonly env: Record<string, string>
  /** Output is appended to this file instead of kept in memory. */
  readonly logPath?: string
}

const repository = resolve(import.meta.dirname, '../..')
/** The same as for the commands of the product. */
const compileCache = join(repository, 'node_modules', '.cache', 'node')

/** The environment of a child process: these variables only. Without the cache it would compile all modules again. */
export const childEnvironment = (env: Record<string, string>) => ({
  ...{ PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compileCache },
  ...env,
})

const maxEndMs = 15_000

/** Starts a program that sends a message when it is ready, and waits for that message. */
export async function startNodeProcess(options: NodeProcessOptions): Promise<NodeProcess> {
  const { file, root = repository, args = [], flags = [], env, logPath } = options
  const log = logPath === undefined ? ('pipe' as const) : openSync(logPath, 'a')
  const child = fork(join(root, file), args, {
    env: childEnvironment(env),
    execArgv: [...flags],
    stdio: ['ignore', log, log, 'ipc'],
  })
  if (log !== 'pipe') closeSync(log)
  let recorded = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (recorded += text))
  const output = () => (logPath === undefined ? recorded : readFileSync(logPath, 'utf8'))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const ended = once(child, 'exit').then(() => child.exitCode)
  const [facts] = (await Promise.race([
    once(child, 'message'),
    ended.then((code) => {
      const lastLines = output().split('\n').slice(-45).join('\n')
      throw new Error(`${file} ended with ${code}: ${lastLines}`)
    }),
  ])) as [ReadyMessage]
  const kill: NodeProcess['kill'] = async (signal) => {
    if (!isRunning()) return child.exitCode
    // A stopped process receives only SIGKILL.
    if (signal === 'SIGTERM') child.kill('SIGCONT')
    child.kill(signal)
    const forced = sleep(maxEndMs, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
    return await Promise.race([ended, forced.then(() => ended)])
  }
  return {
    pid: child.pid!,
    facts,
    output,
    isRunning,
    exitCode: () => child.exitCode,
    signal: (name) => void child.kill(name),
    kill,
    [Symbol.asyncDispose]: async () => void (await kill('SIGTERM')),
  }
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, globSync, openSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signalOnExit } from '../server/src/start/signal-on-exit.ts'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'

/** A process of the cluster that can be killed and started again. */
export interface ManagedProcess {
  readonly name: string
  pid(): number
  isRunning(): boolean
  /** Sends the signal and waits until the process has ended; resolves with its exit code. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Starts it at the same address; resolves with the milliseconds until it was ready. */
  start(as?: StartOptions): Promise<number>
  /** The last lines of its log. */
  logTail(): string
}

/** How a process of the product is started. */
export interface StartOptions {
  /** The folder of another build. */
  root?: string
  env?: Record<string, string>
  /** Modules to preload. */
  imports?: string[]
}

export const root = resolve(import.meta.dirname, '..')

export interface RestartableProcess extends ManagedProcess {
  /** The addresses that it served when it was last ready. */
  facts(): NodeProcess['facts']
}

/** A Node program of this repository that can be started again, also from another build. */
export function restartableProcess(options: {
  name: string
  /** From the root of the repository. */
  file: string
  home: string
  env: Record<string, string>
  flags?: string[]
}): RestartableProcess {
  const { name, file, home, env, flags = [] } = options
  const logPath = join(home, `${name.replaceAll(' ', '-')}.log`)
  let running: NodeProcess | undefined
  return {
    name,
    pid: () => running!.pid,
    facts: () => running!.facts,
    isRunning: () => running?.isRunning() ?? false,
    kill: async (signal) => (await running?.kill(signal)) ?? null,
    async start({ root: build = root, env: more = {}, imports = [] } = {}) {
      const startedAt = performance.now()
      running = await startNodeProcess({
        ...{ file, root: build, env: { ...env, ...more }, logPath },
        flags: [...flags, ...imports.flatMap((path) => ['--import', path])],
      })
      return performance.now() - startedAt
    },
    logTail: () => lastLines(logPath),
  }
}

/** Another program that can be started again, such as PgBouncer. It ends with this process. */
export function programProcess(options: {
  name: string
  program: string
  args: readonly string[]
  home: string
  env?: Record<string, string>
  /** For programs that refuse to run as root. */
  runAs?: { uid: number; gid: number } | undefined
  isReady(): Promise<boolean>
}): ManagedProcess {
  const { name, program, args, home, env, runAs, isReady } = options
  const logPath = join(home, `${name}.log`)
  let child: ChildProcess | undefined
  return {
    name,
    pid: () => child!.pid!,
    isRunning: () => child !== undefined && isAlive(child),
    kill: (signal) => endProcess(child, signal),
    async start() {
      const startedAt = performance.now()
      const log = openSync(logPath, 'a')
      child = spawn(program, args, {
        ...{ ...runAs, cwd: '/', stdio: ['ignore', log, log] },
        ...(env && { env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...env } }),
      })
      closeSync(log)
      const exitSignal = signalOnExit(child.pid!, 'TERM')
      child.once('exit', exitSignal.cancel)
      while (!(await isReady())) {
        if (!isAlive(child) || performance.now() - startedAt > 90_000)
          throw new Error(`The ${name} does not start: ${lastLines(logPath)}`)
        await sleep(20)
      }
      return performance.now() - startedAt
    },
    logTail: () => lastLines(logPath),
  }
}

/** Redis without persistence. */
export const redisProcess = (options: { program: string; home: string; port: number }): ManagedProcess =>
  programProcess({
    ...{ name: 'redis', program: options.program, home: options.home },
    args: ['--port', `${options.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    isReady: () => acceptsConnections(options.port),
  })

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

async function endProcess(
  child: ChildProcess | undefined,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number | null> {
  if (!child || !isAlive(child)) return child?.exitCode ?? null
  const ended = once(child, 'exit')
  // A stopped process receives only SIGKILL.
  if (signal === 'SIGTERM') child.kill('SIGCONT')
  child.kill(signal)
  const forcedKill = sleep(15_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
  await Promise.race([ended, forcedKill.then(() => ended)])
  return child.exitCode
}

export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), done(true)))
    socket.once('error', () => done(false))
  })
}

const lastLines = (path: string) => readFileSync(path, 'utf8').split('\n').slice(-45).join('\n')

/** The processor time of a process. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? []
  // The kernel counts in hundredths of a second.
  return (Number(user) + Number(system)) * 10
}

/** The resident memory of a process, in megabytes. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** The path of an installed program. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/local/bin', '/usr/sbin')
  return globSync(folders.map((folder) => join(folder, name)))[0]
}

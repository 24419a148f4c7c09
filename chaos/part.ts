import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tie } from '../server/src/start/lifeline.ts'
import { isFree } from '../server/src/start/ports.ts'

/** A process of the house that can be killed and started again, any number of times. */
export interface Part {
  readonly name: string
  /** Of the process that runs now. */
  pid(): number
  isRunning(): boolean
  /** Sends the signal and waits until the process is gone; answers what it ended with. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Starts it again at the same address; answers how many milliseconds passed until it said that it is ready. */
  start(as?: StartAs): Promise<number>
  /** The end of all that it wrote. */
  said(): string
}

/** How a process of the product starts another time. */
export interface StartAs {
  /** The tree whose code runs: another build. */
  root?: string
  env?: Record<string, string>
  /** Modules that are loaded first. */
  imports?: string[]
}

export const root = resolve(import.meta.dirname, '..')
/** As the commands of the product have it. */
const compileCache = join(root, 'node_modules', '.cache', 'node')

export interface ForkedPart extends Part {
  /** What the process said when it was ready. */
  facts(): Record<string, unknown>
}

/** A program of this repository that says over its channel when it is ready. */
export function forkedPart(options: {
  name: string
  /** Below the root of a tree. */
  file: string
  home: string
  env: Record<string, string>
  flags?: string[]
}): ForkedPart {
  const { name, file, home, env, flags = [] } = options
  const logPath = join(home, `${name.replaceAll(' ', '-')}.log`)
  let child: ChildProcess | undefined
  let facts: Record<string, unknown> = {}
  return {
    name,
    pid: () => child!.pid!,
    facts: () => facts,
    isRunning: () => child !== undefined && isOn(child),
    kill: (signal) => end(child, signal),
    async start({ root: tree = root, env: more = {}, imports = [] } = {}) {
      const startedAt = performance.now()
      const log = openSync(logPath, 'a')
      child = fork(join(tree, file), [], {
        env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...env, ...more },
        execArgv: [...flags, ...imports.flatMap((path) => ['--import', path])],
        stdio: ['ignore', log, log, 'ipc'],
      })
      closeSync(log)
      const ended = once(child, 'exit').then(([code]) =>
        Promise.reject(new Error(`The ${name} ended with ${code}: ${lastOf(logPath)}`)),
      )
      ;[facts] = (await Promise.race([once(child, 'message'), ended])) as [Record<string, unknown>]
      ended.catch(() => {})
      return performance.now() - startedAt
    },
    said: () => lastOf(logPath),
  }
}

/** Redis as Debian has it; it keeps nothing, because it only counts. */
export function redisPart({ program, home, port }: { program: string; home: string; port: number }): Part {
  const logPath = join(home, 'redis.log')
  let child: ChildProcess | undefined
  return {
    name: 'redis',
    pid: () => child!.pid!,
    isRunning: () => child !== undefined && isOn(child),
    kill: (signal) => end(child, signal),
    async start() {
      const startedAt = performance.now()
      const log = openSync(logPath, 'a')
      const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
      child = spawn(program, flags, { cwd: home, stdio: ['ignore', log, log] })
      closeSync(log)
      const lifeline = tie(child.pid!, 'TERM')
      child.once('exit', lifeline.cut)
      while (!(await accepts(port))) {
        if (!isOn(child)) throw new Error(`Redis ended: ${lastOf(logPath)}`)
        await sleep(5)
      }
      return performance.now() - startedAt
    },
    said: () => lastOf(logPath),
  }
}

/**
 * A port that stays ours while nobody listens on it: one that the kernel never gives to an outgoing connection, so that no
 * client takes it away while a part is down.
 */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    if (await isFree(port)) return port
  }
}

const isOn = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

async function end(child: ChildProcess | undefined, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (!child || !isOn(child)) return child?.exitCode ?? null
  const ended = once(child, 'exit')
  // A process that was stopped does not hear anything but SIGKILL.
  if (signal === 'SIGTERM') child.kill('SIGCONT')
  child.kill(signal)
  const late = sleep(15_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
  await Promise.race([ended, late.then(() => ended)])
  return child.exitCode
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), done(true)))
    socket.once('error', () => done(false))
  })
}

const lastOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(-45).join('\n')

/** What the processor has spent on a process so far. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? []
  // The kernel counts in hundredths of a second.
  return (Number(user) + Number(system)) * 10
}

/** A child process of the product: started, restarted when it exits, and stopped. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { StartAborted } from './components.ts'
import { openLogFile } from './log-file.ts'
import { waitForExit, signal } from './processes.ts'

export interface ChildOptions {
  name: string
  file: string
  args?: string[]
  env: NodeJS.ProcessEnv
  logPath: string
  /** Limits the young generation of V8, where garbage of the start would otherwise stay in memory. */
  maxSemiSpaceMb: number
  /**
   * Limits the heap of V8, which by itself takes a share of the machine's memory as its limit, and collects the less the
   * higher that is: a worker that had 390 MB at its peak then has 260 (bench/full-sync).
   */
  maxHeapMb: number
  readyTimeoutMs?: number
  /** Receives a sentence for the operator when the child was restarted. */
  notify: (sentence: string) => void
  /** Called when the child fails to start several times in a row; the message says why. */
  onFailure: (reason: Error) => void
}

export type Child<Facts> = {
  /** Resolves with what the child reported when it was ready; rejects when it fails to start or is stopped before. */
  ready: Promise<Facts>
  pid: () => number | undefined
  stop: (timeoutMs: number) => Promise<void>
}

const maxFailedStarts = 3
/** Doubled for each failed start in a row; a child that was ready is restarted without a longer pause. */
const restartPauseMs = 100

export function startChild<Facts>(options: ChildOptions): Child<Facts> {
  const log = openLogFile(options.logPath)
  const ready = Promise.withResolvers<Facts>()
  let current: ChildProcess | undefined
  let isStopping = false
  let pause: NodeJS.Timeout | undefined
  let failedStarts = 0

  spawnChild()
  ready.promise.catch(() => {})
  return {
    ready: ready.promise,
    pid: () => current?.pid,
    stop: async (timeoutMs) => {
      isStopping = true
      clearTimeout(pause)
      log.close()
      if (current?.pid) await terminate(current.pid, timeoutMs)
      // Otherwise a start that waits for it would never end.
      ready.reject(new StartAborted(`The ${options.name} was stopped before it was ready.`))
    },
  }

  function spawnChild() {
    const child = spawnProcess(options, log.open())
    const readyTimeout = setTimeout(() => child.kill('SIGKILL'), options.readyTimeoutMs ?? 30_000)
    let wasReady = false
    current = child
    child.on('message', (message: { ready?: boolean }) => {
      if (!message.ready || wasReady) return
      wasReady = true
      clearTimeout(readyTimeout)
      ready.resolve(message as Facts)
    })
    child.once('error', (error) => giveUp(`The ${options.name} could not be started: ${error.message}`))
    child.once('exit', (code, killedBy) => {
      clearTimeout(readyTimeout)
      if (isStopping) return
      failedStarts = wasReady ? 0 : failedStarts + 1
      if (failedStarts >= maxFailedStarts) return giveUp(failureMessage(options, log.lastLines(40)))
      options.notify(
        `The ${options.name} ended (${killedBy ?? code}) and is being restarted; its log is ${log.path}`,
      )
      pause = setTimeout(spawnChild, restartPauseMs * 2 ** failedStarts)
    })
  }

  /** Rejects `ready` for callers that wait for the first start, and tells the supervisor. */
  function giveUp(sentence: string) {
    const error = new Error(sentence)
    ready.reject(error)
    options.onFailure(error)
  }
}

function spawnProcess({ file, args = [], env, maxSemiSpaceMb, maxHeapMb }: ChildOptions, log: number) {
  const flags = [
    '--import',
    import.meta.resolve('./exit-with-parent.ts'),
    `--max-semi-space-size=${maxSemiSpaceMb}`,
    `--max-old-space-size=${maxHeapMb}`,
  ]
  // A session of its own: Ctrl-C in the terminal reaches only the supervisor, which stops its children in order.
  const child = spawn(process.execPath, [...flags, file, ...args], {
    // With an arena for each thread, glibc keeps more memory that was freed (bench/full-sync.ts). With one for all threads,
    // they wait for each other (bench/engine-wait.ts).
    env: { MALLOC_ARENA_MAX: '2', ...env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  return child
}

async function terminate(pid: number, timeoutMs: number) {
  signal(pid, 'SIGTERM')
  if (await waitForExit(pid, timeoutMs)) return
  signal(pid, 'SIGKILL')
  await waitForExit(pid, 1_000)
}

/** The last lines of the log, without the stack trace. */
function failureMessage({ name, logPath }: ChildOptions, lines: string) {
  const message = lines
    .split('\n')
    .filter((line) => line.trim() && !/^\s+at |^Node\.js v|^\s*[}^]/.test(line))
  return `The ${name} fails to start; its log is ${logPath} and ends with:\n${message.slice(-6).join('\n')}`
}

// One process of the product: started, watched, started again when it dies, stopped.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { openLogFile } from './log-file.ts'
import { hasEndedWithin, signal } from './processes.ts'

export type ChildOptions = {
  name: string
  file: string
  args?: string[]
  env: NodeJS.ProcessEnv
  logPath: string
  /** Bound of the young generation; what the start leaves there would otherwise stay in memory. */
  youngMegabytes: number
  readyTimeoutMs?: number
  /** A sentence for the person who watches. */
  tell: (sentence: string) => void
  /** The child does not come up any more; the message says why. */
  giveUp: (reason: Error) => void
}

export type Child<Facts> = {
  /** Settles once the child has said that it serves; the facts are what it said. */
  ready: Promise<Facts>
  pid: () => number | undefined
  stop: (timeoutMs: number) => Promise<void>
}

const startsBeforeGivingUp = 3
/** Doubled for each start in a row that did not come to serve; one that served is back without a longer pause. */
const restartPauseMs = 100

export function startChild<Facts>(options: ChildOptions): Child<Facts> {
  const log = openLogFile(options.logPath)
  const ready = Promise.withResolvers<Facts>()
  let current: ChildProcess | undefined
  let isStopping = false
  let pause: NodeJS.Timeout | undefined
  let failedStarts = 0

  launch()
  ready.promise.catch(() => {})
  return {
    ready: ready.promise,
    pid: () => current?.pid,
    stop: async (timeoutMs) => {
      isStopping = true
      clearTimeout(pause)
      log.close()
      if (current?.pid) await end(current.pid, timeoutMs)
    },
  }

  function launch() {
    const child = spawnOne(options, log.open())
    const late = setTimeout(() => child.kill('SIGKILL'), options.readyTimeoutMs ?? 30_000)
    let hasServed = false
    current = child
    child.on('message', (message: { ready?: boolean }) => {
      if (!message.ready || hasServed) return
      hasServed = true
      clearTimeout(late)
      ready.resolve(message as Facts)
    })
    child.once('error', (error) => giveUp(`The ${options.name} cannot be started: ${error.message}`))
    child.once('exit', (code, killedBy) => {
      clearTimeout(late)
      if (isStopping) return
      failedStarts = hasServed ? 0 : failedStarts + 1
      if (failedStarts >= startsBeforeGivingUp) return giveUp(whyLost(options, log.lastLines(40)))
      options.tell(
        `The ${options.name} ended (${killedBy ?? code}) and is started again; its log is ${log.path}`,
      )
      pause = setTimeout(launch, restartPauseMs * 2 ** failedStarts)
    })
  }

  /** Before it ever served, whoever waits for it learns the reason; later the supervisor does. */
  function giveUp(sentence: string) {
    const error = new Error(sentence)
    ready.reject(error)
    options.giveUp(error)
  }
}

function spawnOne({ file, args = [], env, youngMegabytes }: ChildOptions, log: number) {
  const leash = ['--import', import.meta.resolve('./leash.ts'), `--max-semi-space-size=${youngMegabytes}`]
  // A session of its own: Ctrl-C in the terminal reaches the supervisor alone, which knows the order.
  const child = spawn(process.execPath, [...leash, file, ...args], {
    env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  return child
}

async function end(pid: number, timeoutMs: number) {
  signal(pid, 'SIGTERM')
  if (await hasEndedWithin(pid, timeoutMs)) return
  signal(pid, 'SIGKILL')
  await hasEndedWithin(pid, 1_000)
}

/** The message, not the path through Node that led to it. */
function whyLost({ name, logPath }: ChildOptions, lines: string) {
  const words = lines.split('\n').filter((line) => line.trim() && !/^\s+at |^Node\.js v|^\s*[}^]/.test(line))
  return `The ${name} does not stay up; its log is ${logPath} and ends with:\n${words.slice(-6).join('\n')}`
}

/** VACANCY_HOME: the files of one product, and the lock that lets only one process run in it. */
import * as fs from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createJson, readJsonOrUndefined, writeJson } from './home-files.ts'
import { openSecrets } from './home-secrets.ts'
import { startTimeOf, isAlive } from './processes.ts'

export interface RunningProduct {
  pid: number
  port: number
  api_url: string
  issuer: string
  audience: string
  pms_url: string
  payments_url: string
  /** Where sent mails and SMS are shown; empty when they are really sent. */
  mail_url: string
  /** Where each worker serves /health and /metrics. */
  workers: { name: string; queues: string[]; url: string }[]
  started_at: string
}

export interface Ports {
  postgres?: number
  identity?: number
  pms?: number
  payments?: number
  mail?: number
  smtp?: number
}

interface LockHolder {
  pid: number
  startTime: string
  /** Of a container too, which sees no processes of others that share its volume. */
  host?: string
}

const lockFile = 'start.lock'
const touchEveryMs = 5_000
/** A lock of another host that has not been touched for so long was left by one that is gone. */
const goneAfterMs = 30_000

export type Home = ReturnType<typeof describeHome>

/** The paths of a home. Nothing is created on disk. */
export function describeHome(folder: string) {
  const path = resolve(folder)
  return {
    path,
    file: (name: string) => join(path, name),
    readRunning: () => readRunning(path),
    readEnvironment: () => readJsonOrUndefined<Record<string, string>>(join(path, 'environment.json')),
  }
}

/** Locks the home for this process. @throws Error with a sentence, when another process uses it or it is damaged */
export function openHome(folder: string) {
  const home = describeHome(folder)
  createFolder(home.path)
  const release = takeLock(home)
  try {
    return {
      ...home,
      secrets: openSecrets(home),
      ports: readJsonOrUndefined<Ports>(home.file('ports.json')) ?? {},
      savePorts: (ports: Ports) => writeJson(home.file('ports.json'), ports),
      /** Written for the command line, which acts on the running product. The environment holds secrets. */
      publish: (running: RunningProduct, environment: Record<string, string>) => {
        writeJson(home.file('environment.json'), environment)
        writeJson(home.file('running.json'), running)
      },
      close: () => {
        for (const name of ['running.json', 'environment.json']) fs.rmSync(home.file(name), { force: true })
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

function createFolder(path: string) {
  try {
    fs.mkdirSync(join(path, 'logs'), { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${path} cannot be used (${code}): set VACANCY_HOME to a folder that can be written.`, {
      cause: error,
    })
  }
}

function takeLock(home: Home) {
  const lock = home.file(lockFile)
  const self: LockHolder = { pid: process.pid, startTime: startTimeOf(process.pid), host: hostname() }
  for (;;) {
    try {
      createJson(lock, self)
      const touching = setInterval(
        () => fs.utimes(lock, new Date(), new Date(), () => {}),
        touchEveryMs,
      ).unref()
      return () => {
        clearInterval(touching)
        fs.rmSync(lock, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = readHolder(lock)
    if (holder) {
      const where = readJsonOrUndefined<RunningProduct>(home.file('running.json'))?.api_url
      throw new Error(
        `Vacancy already runs in ${home.path}${where ? ` at ${where}` : ''}: use it, or stop it ${howToStop(holder)}.`,
      )
    }
    fs.rmSync(lock, { force: true })
  }
}

function howToStop({ pid, host = hostname() }: LockHolder) {
  if (host === hostname()) return `with kill ${pid}`
  return `on ${host}, where it was seen less than ${goneAfterMs / 1_000} seconds ago`
}

/** Undefined when the process that wrote the lock is gone. */
function readHolder(lock: string) {
  const holder = readJsonOrUndefined<LockHolder>(lock)
  if (!holder) return undefined
  const { pid, startTime, host = hostname() } = holder
  const isRunning =
    host === hostname()
      ? isAlive(pid) && startTimeOf(pid) === startTime
      : Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) < goneAfterMs
  return isRunning ? holder : undefined
}

/** Undefined when the process that wrote it is gone. */
function readRunning(path: string) {
  return readHolder(join(path, lockFile))
    ? readJsonOrUndefined<RunningProduct>(join(path, 'running.json'))
    : undefined
}

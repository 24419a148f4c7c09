// VACANCY_HOME: what one running product keeps on disk, and the proof that only one runs in it.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { birthOf, isAlive } from './processes.ts'

export type Running = {
  pid: number
  port: number
  api_url: string
  issuer: string
  audience: string
  pms_url: string
  payments_url: string
  /** Where sent messages are shown; empty when they leave for real. */
  mail_url: string
  started_at: string
}

export type Secrets = { database_password: string; secret_keys: string; internal_service_token: string }

export type Ports = {
  postgres?: number
  identity?: number
  pms?: number
  payments?: number
  mail?: number
  smtp?: number
}

type Holder = { pid: number; birth: string }

const lockName = 'start.lock'

export type Home = ReturnType<typeof describeHome>

/** Only names what is where; nothing is made on disk. */
export function describeHome(folder: string) {
  const path = resolve(folder)
  return {
    path,
    file: (name: string) => join(path, name),
    readRunning: () => readIfLive(path),
    readEnvironment: () => read<Record<string, string>>(join(path, 'environment.json')),
  }
}

/** Takes the folder for this process. Throws a sentence when another one has it. */
export function openHome(folder: string) {
  const home = describeHome(folder)
  makeFolder(home.path)
  const release = takeLock(home)
  return {
    ...home,
    secrets: readOrMakeSecrets(home),
    ports: read<Ports>(home.file('ports.json')) ?? {},
    rememberPorts: (ports: Ports) => write(home.file('ports.json'), ports),
    /** The environment holds secrets; it lets the command line act on the running product. */
    announce: (running: Running, environment: Record<string, string>) => {
      write(home.file('environment.json'), environment)
      write(home.file('running.json'), running)
    },
    close: () => {
      for (const name of ['running.json', 'environment.json']) fs.rmSync(home.file(name), { force: true })
      release()
    },
  }
}

function makeFolder(path: string) {
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
  const lock = home.file(lockName)
  const mine: Holder = { pid: process.pid, birth: birthOf(process.pid) }
  for (;;) {
    try {
      fs.writeFileSync(lock, JSON.stringify(mine), { flag: 'wx', mode: 0o600 })
      return () => fs.rmSync(lock, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = read<Holder>(lock)
    if (isHeld(holder)) {
      const where = read<Running>(home.file('running.json'))?.api_url
      throw new Error(
        `Vacancy already runs in ${home.path}${where ? ` at ${where}` : ''}: use it, or stop it with kill ${holder.pid}.`,
      )
    }
    fs.rmSync(lock, { force: true })
  }
}

function isHeld(holder: Holder | undefined): holder is Holder {
  return holder !== undefined && isAlive(holder.pid) && birthOf(holder.pid) === holder.birth
}

/** What a killed process left is not believed. */
function readIfLive(path: string) {
  return isHeld(read(join(path, lockName))) ? read<Running>(join(path, 'running.json')) : undefined
}

function readOrMakeSecrets(home: Home): Secrets {
  const kept = read<Secrets>(home.file('secrets.json'))
  if (kept) return kept
  const made = {
    database_password: randomBytes(24).toString('hex'),
    secret_keys: `local:${randomBytes(32).toString('base64')}`,
    internal_service_token: randomBytes(24).toString('hex'),
  }
  write(home.file('secrets.json'), made)
  return made
}

function read<T>(path: string): T | undefined {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** Whole or not at all, and for nobody else's eyes. */
function write(path: string, value: object) {
  const unfinished = `${path}.${process.pid}`
  fs.writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, path)
}

// VACANCY_HOME: what one running product keeps on disk, and the proof that only one runs in it.
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { createJson, readIfWhole, writeJson } from './home-files.ts'
import { openSecrets } from './home-secrets.ts'
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
  /** Where each worker serves /health and /metrics. */
  workers: { name: string; queues: string[]; url: string }[]
  started_at: string
}

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
    readEnvironment: () => readIfWhole<Record<string, string>>(join(path, 'environment.json')),
  }
}

/** Takes the folder for this process. Throws a sentence when another one has it, or when it is damaged. */
export function openHome(folder: string) {
  const home = describeHome(folder)
  makeFolder(home.path)
  const release = takeLock(home)
  try {
    return {
      ...home,
      secrets: openSecrets(home),
      ports: readIfWhole<Ports>(home.file('ports.json')) ?? {},
      rememberPorts: (ports: Ports) => writeJson(home.file('ports.json'), ports),
      /** The environment holds secrets; it lets the command line act on the running product. */
      announce: (running: Running, environment: Record<string, string>) => {
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
      createJson(lock, mine)
      return () => fs.rmSync(lock, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = readIfWhole<Holder>(lock)
    if (isHeld(holder)) {
      const where = readIfWhole<Running>(home.file('running.json'))?.api_url
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
  return isHeld(readIfWhole(join(path, lockName)))
    ? readIfWhole<Running>(join(path, 'running.json'))
    : undefined
}

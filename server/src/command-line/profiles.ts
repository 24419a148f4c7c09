/** The installations that somebody signed in to, with their tokens, in a file that only this user can read. */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '#start/environment.ts'
import { readJson, writeJson } from '#start/home-files.ts'

export interface Profile {
  url: string
  /** The organization that was chosen when signing in. */
  organization_id: string | null
  issuer: string
  client_id: string
  resource: string | null
  access_token: string
  refresh_token: string | null
  expires_at: string
}

interface Stored {
  /** The profile of commands that name none. */
  current: string | null
  profiles: Record<string, Profile>
}

export type Profiles = ReturnType<typeof openProfiles>

/** In VACANCY_HOME, or in the user's folder for settings. */
export function openProfiles(env: Environment) {
  const settings = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  const path = join(env['VACANCY_HOME'] || join(settings, 'vacancy'), 'credentials.json')
  const read = () => readJson<Stored>(path) ?? { current: null, profiles: {} }
  const write = (stored: Stored) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeJson(path, stored)
  }
  return {
    path,
    read,
    find: (name: string): Profile | undefined => {
      const { profiles } = read()
      return Object.hasOwn(profiles, name) ? profiles[name] : undefined
    },
    save(name: string, profile: Profile, options: { isCurrent: boolean }) {
      const { current, profiles } = read()
      write({ current: options.isCurrent ? name : current, profiles: { ...profiles, [name]: profile } })
    },
    use: (name: string) => write({ ...read(), current: name }),
    remove(name: string) {
      const { current, profiles } = read()
      const rest = Object.fromEntries(Object.entries(profiles).filter(([one]) => one !== name))
      write({ current: current === name ? null : current, profiles: rest })
    },
    /** One process at a time: a refresh token can be used only once. */
    async withLock<T>(work: () => Promise<T>): Promise<T> {
      const lock = `${path}.lock`
      while (!takeLock(lock)) await sleep(50)
      try {
        return await work()
      } finally {
        rmSync(lock, { force: true })
      }
    },
  }
}

/** A refresh takes less; an older lock was left by a process that was killed. */
const maxLockAgeMs = 20_000

function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (since !== undefined && Date.now() - since > maxLockAgeMs) rmSync(path, { force: true })
    return false
  }
}

/** The secrets of a home: created once, and never again beside data that were sealed with them. */
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { DamagedFile, readJson, writeJson } from './home-files.ts'

export interface Secrets {
  database_password: string
  secret_keys: string
  internal_service_token: string
}

const secretNames = ['database_password', 'secret_keys', 'internal_service_token'] as const

interface Files {
  path: string
  file: (name: string) => string
}

/**
 * Reads `secrets.json`, or creates it in a home that has never been used, and keeps a backup beside it.
 * @throws Error that names the file and the remedy, when it is damaged, or missing beside data
 */
export function openSecrets({ path, file }: Files): Secrets {
  const existing = readSecrets(file('secrets.json'), file('secrets.backup.json'))
  if (existing) {
    updateBackup(existing, file)
    return existing
  }
  if (
    ['secrets.backup.json', 'database.json', 'ports.json', 'postgres'].some((name) => existsSync(file(name)))
  )
    throw new Error(
      `${file('secrets.json')} is missing, and the data in ${path} cannot be opened without it. ` +
        remedy(file('secrets.json'), file('secrets.backup.json')),
    )
  const created: Secrets = {
    database_password: randomBytes(24).toString('hex'),
    secret_keys: `local:${randomBytes(32).toString('base64')}`,
    internal_service_token: randomBytes(24).toString('hex'),
  }
  writeJson(file('secrets.json'), created)
  writeJson(file('secrets.backup.json'), created)
  return created
}

function readSecrets(path: string, copy: string): Secrets | undefined {
  try {
    const read = readJson<Partial<Secrets>>(path)
    const missing = read && secretNames.filter((name) => typeof read[name] !== 'string' || read[name] === '')
    if (missing?.length) throw new DamagedFile(`${path} is damaged: it lacks ${missing.join(' and ')}.`)
    return read as Secrets | undefined
  } catch (error) {
    throw new Error(`${(error as Error).message} ${remedy(path, copy)}`, { cause: error })
  }
}

const remedy = (path: string, copy: string) =>
  existsSync(copy)
    ? `Restore it with: cp ${copy} ${path}`
    : `Restore it from a backup. To start with an empty home and without these data, set VACANCY_HOME to another folder.`

/** A backup that differs is kept under another name: it may hold the only key of sealed values. */
function updateBackup(secrets: Secrets, file: (name: string) => string) {
  const path = file('secrets.backup.json')
  let copy: Secrets | undefined
  try {
    copy = readJson<Secrets>(path)
  } catch {
    copy = undefined
  }
  if (isDeepStrictEqual(copy, secrets)) return
  if (existsSync(path))
    renameSync(path, file(`secrets.backup-${new Date().toISOString().replaceAll(':', '')}.json`))
  writeJson(path, secrets)
}

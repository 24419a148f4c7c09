// The secrets of a home: made once, and never made anew beside data that were sealed with them.
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { DamagedFile, readJson, writeJson } from './home-files.ts'

export type Secrets = { database_password: string; secret_keys: string; internal_service_token: string }

const names = ['database_password', 'secret_keys', 'internal_service_token'] as const

type Files = { path: string; file: (name: string) => string }

/**
 * Reads `secrets.json`, or makes it in a home that has never been used. A copy stands beside it.
 * @throws Error a sentence that names the file and the remedy, when it is damaged, or missing beside data
 */
export function openSecrets({ path, file }: Files): Secrets {
  const kept = readSecrets(file('secrets.json'), file('secrets.backup.json'))
  if (kept) {
    keepCopy(kept, file)
    return kept
  }
  if (
    ['secrets.backup.json', 'database.json', 'ports.json', 'postgres'].some((name) => existsSync(file(name)))
  )
    throw new Error(
      `${file('secrets.json')} is missing, and the data in ${path} cannot be opened without it. ` +
        remedy(file('secrets.json'), file('secrets.backup.json')),
    )
  const made: Secrets = {
    database_password: randomBytes(24).toString('hex'),
    secret_keys: `local:${randomBytes(32).toString('base64')}`,
    internal_service_token: randomBytes(24).toString('hex'),
  }
  writeJson(file('secrets.json'), made)
  writeJson(file('secrets.backup.json'), made)
  return made
}

function readSecrets(path: string, copy: string): Secrets | undefined {
  try {
    const read = readJson<Partial<Secrets>>(path)
    const missing = read && names.filter((name) => typeof read[name] !== 'string' || read[name] === '')
    if (missing?.length) throw new DamagedFile(`${path} is damaged: it lacks ${missing.join(' and ')}.`)
    return read as Secrets | undefined
  } catch (error) {
    throw new Error(`${(error as Error).message} ${remedy(path, copy)}`, { cause: error })
  }
}

const remedy = (path: string, copy: string) =>
  existsSync(copy)
    ? `Bring it back with: cp ${copy} ${path}`
    : `Bring it back from a backup. To give up the data and begin with an empty home, set VACANCY_HOME to another folder.`

/** A copy that differs is kept under another name: it may hold the only key of something that was sealed. */
function keepCopy(secrets: Secrets, file: (name: string) => string) {
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

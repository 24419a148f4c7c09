// Where the data can lie so that the user PostgreSQL runs as may enter.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { canReach, type RunAs } from './postgres-binaries.ts'

export function findDataDir(home: string, runAs: RunAs | undefined) {
  const parent = runAs ? openFolder(home, runAs) : home
  const dataDir = join(parent, 'postgres')
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (runAs) giveTo(dataDir, runAs)
  return dataDir
}

/** The home itself, entered but not listed by others; a folder under /var/lib when even that does not help. */
function openFolder(home: string, runAs: RunAs) {
  if (canReach(home, runAs)) return home
  const mode = fs.statSync(home).mode & 0o777
  fs.chmodSync(home, mode | 0o011)
  if (canReach(home, runAs)) return home
  fs.chmodSync(home, mode)
  const name = createHash('sha256').update(fs.realpathSync(home)).digest('hex').slice(0, 12)
  const folder = join('/var/lib/vacancy', `data-${name}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (!canReach(folder, runAs)) {
    throw new Error(`The user ${runAs.name} cannot enter ${home}: set VACANCY_HOME to a folder that it can.`)
  }
  return folder
}

/** The user may differ from last time, when a user postgres has been added since. */
function giveTo(dataDir: string, { uid, gid }: RunAs) {
  if (fs.statSync(dataDir).uid === uid) return
  fs.chownSync(dataDir, uid, gid)
  for (const name of fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(join(dataDir, name), uid, gid)
  }
}

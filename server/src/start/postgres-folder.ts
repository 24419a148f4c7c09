/** The data folder: chosen at the first start so that the user of PostgreSQL may enter it, and recorded in the home. */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { readJson, writeJson } from './home-files.ts'
import { canExecute, createPrivateFolder, sharedFolder, type RunAs } from './postgres-binaries.ts'

const recordFile = 'database.json'
/** Lies beside data outside the home, and names the home they belong to. */
const ownerFile = 'home.json'

/**
 * The data folder of this home: the recorded one, or that of an older version, or a new one.
 * @throws Error that says where the data are, when they exist and cannot be used
 */
export function findDataDir(home: string, runAs: RunAs | undefined): string {
  const existing = recordedDataDir(home) ?? legacyDataDir(home)
  const dataDir = existing ?? join(runAs ? chooseFolder(home, runAs) : home, 'postgres')
  if (existing) assertUsable(home, existing, runAs)
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (runAs) changeOwner(dataDir, runAs)
  return dataDir
}

/** Records the data folder, relative to the home, so that the home can be moved. */
export function recordDataDir(home: string, dataDir: string): void {
  const inside = relative(home, dataDir)
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
  const record = { data_dir: isInside ? inside : dataDir }
  if (readJson<typeof record>(join(home, recordFile))?.data_dir !== record.data_dir)
    writeJson(join(home, recordFile), record)
  if (!isInside) writeJson(join(dirname(dataDir), ownerFile), { home: fs.realpathSync(home) })
}

function recordedDataDir(home: string): string | undefined {
  const path = join(home, recordFile)
  const record = readJson<{ data_dir?: unknown }>(path)
  if (record === undefined) return undefined
  if (typeof record.data_dir === 'string' && record.data_dir) return resolve(home, record.data_dir)
  throw new Error(`${path} is damaged: it must say {"data_dir": "the folder of the data"}.`)
}

/** Older versions did not record the folder; it was one of these two. */
function legacyDataDir(home: string): string | undefined {
  const found = [home, folderOutside(home)].map((parent) => join(parent, 'postgres')).filter(mayHoldData)
  if (found.length < 2) return found[0]
  throw new Error(
    `There are two databases for ${home}: ${found.join(' and ')}. Write the one to use into ` +
      `${join(home, recordFile)}: {"data_dir": "${found[1]}"}.`,
  )
}

const folderOutside = (home: string) =>
  join(sharedFolder, `data-${createHash('sha256').update(fs.realpathSync(home)).digest('hex').slice(0, 12)}`)

/** True for a folder that cannot be read. The remains of an interrupted first start hold no data. */
function mayHoldData(dataDir: string): boolean {
  return (
    probe(join(dataDir, 'PG_VERSION')) !== 'ENOENT' &&
    !fs.existsSync(join(dataDir, '..', 'postgres-unfinished'))
  )
}

function probe(path: string): 'found' | 'ENOENT' | 'EACCES' {
  try {
    fs.statSync(path)
    return 'found'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'ENOENT' : 'EACCES'
  }
}

function assertUsable(home: string, dataDir: string, runAs: RunAs | undefined) {
  const location = `The database of ${home} is in ${dataDir}`
  const look = probe(join(dataDir, 'PG_VERSION'))
  if (look === 'ENOENT')
    throw new Error(
      `The database of ${home} belongs in ${dataDir} and is not there. Move it back or restore a backup; ` +
        `to begin with an empty one, remove ${join(home, recordFile)}.`,
    )
  if (look === 'EACCES')
    throw new Error(`${location}, which this user may not read. Start as the user it belongs to.`)
  assertNotShared(home, dataDir, location)
  if (!runAs || canExecute(dirname(dataDir), runAs)) return
  if (dirname(dataDir) === home && openToOthers(home, runAs)) return
  const blocked = ancestorsOf(dataDir).find((folder) => !canExecute(folder, runAs)) ?? dirname(dataDir)
  throw new Error(
    `${location}, and the user ${runAs.name}, as which PostgreSQL runs, cannot enter ${blocked}. ` +
      `Run chmod a+x ${blocked} and start again.`,
  )
}

/** A copied home names the same data folder; two servers in one folder would destroy the data. */
function assertNotShared(home: string, dataDir: string, location: string) {
  const other = readJson<{ home: string }>(join(dirname(dataDir), ownerFile))?.home
  if (other === undefined || other === fs.realpathSync(home) || !fs.existsSync(join(other, recordFile)))
    return
  if (recordedDataDir(other) === dataDir)
    throw new Error(
      `${location}, and so is that of ${other}. Set VACANCY_HOME=${other}, or remove that folder.`,
    )
}

/** All parent folders, the root first. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...ancestorsOf(parent), parent]
}

/** The home, opened so that others can enter but not list it; a folder under /var/lib when that is not enough. */
function chooseFolder(home: string, runAs: RunAs) {
  if (canExecute(home, runAs) || openToOthers(home, runAs)) return home
  const folder = folderOutside(home)
  for (const path of [sharedFolder, folder]) createPrivateFolder(path, runAs)
  if (!canExecute(folder, runAs)) {
    throw new Error(`The user ${runAs.name} cannot enter ${home}: set VACANCY_HOME to a folder that it can.`)
  }
  return folder
}

/** Lets other users enter the home. Undone when PostgreSQL still cannot reach it. */
function openToOthers(home: string, runAs: RunAs): boolean {
  const mode = fs.statSync(home).mode & 0o777
  fs.chmodSync(home, mode | 0o011)
  if (canExecute(home, runAs)) return true
  fs.chmodSync(home, mode)
  return false
}

/** The user may have changed since the last start, for example when a user postgres was added. */
function changeOwner(dataDir: string, { uid, gid }: RunAs) {
  if (fs.statSync(dataDir).uid === uid) return
  fs.chownSync(dataDir, uid, gid)
  for (const name of fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(join(dataDir, name), uid, gid)
  }
}

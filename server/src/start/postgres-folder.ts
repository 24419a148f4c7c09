// Where the data lie: chosen at the first start so that the user PostgreSQL runs as may enter, and recorded in the home.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { readJson, writeJson } from './home-files.ts'
import { canReach, type RunAs } from './postgres-binaries.ts'

const recordName = 'database.json'
/** Beside data outside the home: whose they are. */
const ownerName = 'home.json'

/**
 * The folder of this home's data: the recorded one, or one that an older version left, or a new one.
 * @throws Error a sentence that says where the data are, when there are data and this start cannot use them
 */
export function findDataDir(home: string, runAs: RunAs | undefined): string {
  const known = recordedDataDir(home) ?? unrecordedDataDir(home)
  const dataDir = known ?? join(runAs ? chooseFolder(home, runAs) : home, 'postgres')
  if (known) assertUsable(home, known, runAs)
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (runAs) giveTo(dataDir, runAs)
  return dataDir
}

/** Written once the data are there; a home that is moved takes its record along. */
export function recordDataDir(home: string, dataDir: string): void {
  const inside = relative(home, dataDir)
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
  const record = { data_dir: isInside ? inside : dataDir }
  if (readJson<typeof record>(join(home, recordName))?.data_dir !== record.data_dir)
    writeJson(join(home, recordName), record)
  if (!isInside) writeJson(join(dirname(dataDir), ownerName), { home: fs.realpathSync(home) })
}

function recordedDataDir(home: string): string | undefined {
  const path = join(home, recordName)
  const record = readJson<{ data_dir?: unknown }>(path)
  if (record === undefined) return undefined
  if (typeof record.data_dir === 'string' && record.data_dir) return resolve(home, record.data_dir)
  throw new Error(`${path} is damaged: it must say {"data_dir": "the folder of the data"}.`)
}

/** Before the place was recorded it was one of these two. */
function unrecordedDataDir(home: string): string | undefined {
  const found = [home, folderOutside(home)].map((parent) => join(parent, 'postgres')).filter(mayHoldData)
  if (found.length < 2) return found[0]
  throw new Error(
    `There are two databases for ${home}: ${found.join(' and ')}. Write the one to use into ` +
      `${join(home, recordName)}: {"data_dir": "${found[1]}"}.`,
  )
}

const folderOutside = (home: string) =>
  join(
    '/var/lib/vacancy',
    `data-${createHash('sha256').update(fs.realpathSync(home)).digest('hex').slice(0, 12)}`,
  )

/** What cannot be looked into may. What an interrupted first start left holds no data yet. */
function mayHoldData(dataDir: string): boolean {
  return (
    lookFor(join(dataDir, 'PG_VERSION')) !== 'ENOENT' &&
    !fs.existsSync(join(dataDir, '..', 'postgres-unfinished'))
  )
}

function lookFor(path: string): 'found' | 'ENOENT' | 'EACCES' {
  try {
    fs.statSync(path)
    return 'found'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'ENOENT' : 'EACCES'
  }
}

function assertUsable(home: string, dataDir: string, runAs: RunAs | undefined) {
  const isHere = `The database of ${home} is in ${dataDir}`
  const look = lookFor(join(dataDir, 'PG_VERSION'))
  if (look === 'ENOENT')
    throw new Error(
      `The database of ${home} belongs in ${dataDir} and is not there. Move it back or restore a backup; ` +
        `to begin with an empty one, remove ${join(home, recordName)}.`,
    )
  if (look === 'EACCES')
    throw new Error(`${isHere}, which this user may not read. Start as the user it belongs to.`)
  assertOwn(home, dataDir, isHere)
  if (!runAs || canReach(dirname(dataDir), runAs)) return
  if (dirname(dataDir) === home && isOpened(home, runAs)) return
  const blocked = ancestorsOf(dataDir).find((folder) => !canReach(folder, runAs)) ?? dirname(dataDir)
  throw new Error(
    `${isHere}, and the user ${runAs.name}, as which PostgreSQL runs, cannot enter ${blocked}. ` +
      `Run chmod a+x ${blocked} and start again.`,
  )
}

/** A copy of a home names the same data; two servers in one folder would destroy them. */
function assertOwn(home: string, dataDir: string, isHere: string) {
  const other = readJson<{ home: string }>(join(dirname(dataDir), ownerName))?.home
  if (other === undefined || other === fs.realpathSync(home) || !fs.existsSync(join(other, recordName)))
    return
  if (recordedDataDir(other) === dataDir)
    throw new Error(
      `${isHere}, and so is that of ${other}. Set VACANCY_HOME=${other}, or remove that folder.`,
    )
}

/** From the top down. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...ancestorsOf(parent), parent]
}

/** The home itself, entered but not listed by others; a folder under /var/lib when even that does not help. */
function chooseFolder(home: string, runAs: RunAs) {
  if (canReach(home, runAs) || isOpened(home, runAs)) return home
  const folder = folderOutside(home)
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (!canReach(folder, runAs)) {
    throw new Error(`The user ${runAs.name} cannot enter ${home}: set VACANCY_HOME to a folder that it can.`)
  }
  return folder
}

/** Lets others pass through the home, unless that would not be enough. */
function isOpened(home: string, runAs: RunAs): boolean {
  const mode = fs.statSync(home).mode & 0o777
  fs.chmodSync(home, mode | 0o011)
  if (canReach(home, runAs)) return true
  fs.chmodSync(home, mode)
  return false
}

/** The user may differ from last time, when a user postgres has been added since. */
function giveTo(dataDir: string, { uid, gid }: RunAs) {
  if (fs.statSync(dataDir).uid === uid) return
  fs.chownSync(dataDir, uid, gid)
  for (const name of fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(join(dataDir, name), uid, gid)
  }
}

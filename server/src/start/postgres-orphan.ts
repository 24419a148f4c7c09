// What a killed parent leaves behind in the data folder: a running server, or only a note of one.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, hasEndedWithin, isAlive, signal } from './processes.ts'

export type Leftover = 'none' | 'stale note removed' | 'orphan stopped' | 'orphan killed'

/** Stops a server that still holds the folder, so that the next one starts with our settings and our lifeline. */
export async function clearLeftover(dataDir: string): Promise<Leftover> {
  const pid = readPostmasterPid(dataDir)
  if (pid === undefined) return 'none'
  if (!isAlive(pid) || !isPostmasterOf(pid, dataDir)) {
    rmSync(join(dataDir, 'postmaster.pid'), { force: true })
    return 'stale note removed'
  }
  return (await stopPostmaster(pid, 8_000)) ? 'orphan stopped' : 'orphan killed'
}

/** Fast shutdown; then without a checkpoint, which the next start repairs from the log; then by force. */
export async function stopPostmaster(pid: number, timeoutMs: number) {
  signal(pid, 'SIGINT')
  if (await hasEndedWithin(pid, timeoutMs)) return true
  signal(pid, 'SIGQUIT')
  if (await hasEndedWithin(pid, 500)) return false
  signal(pid, 'SIGKILL')
  await hasEndedWithin(pid, 500)
  return false
}

/** True when the server with this number says that it accepts connections. */
export function isReady(dataDir: string, pid: number) {
  const note = readNote(dataDir)
  return Number(note[0]) === pid && note[7]?.trim() === 'ready'
}

function readPostmasterPid(dataDir: string) {
  const pid = Number(readNote(dataDir)[0])
  return Number.isInteger(pid) && pid > 1 ? pid : undefined
}

function readNote(dataDir: string) {
  const path = join(dataDir, 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

/** The number may belong to another program by now, above all in containers, where numbers start low again. */
function isPostmasterOf(pid: number, dataDir: string) {
  const command = commandOf(pid)
  return /(^|\/)postgres /.test(command) && command.includes(dataDir)
}

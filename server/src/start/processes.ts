/** Other processes of this machine. A pid alone may be reused by another program. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Together with the pid, identifies a process: the next one with the same pid started at another time. */
export function startTimeOf(pid: number) {
  try {
    return statOf(pid)[19] ?? ''
  } catch {
    return psField(pid, 'lstart=')
  }
}

export function commandLineOf(pid: number) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return psField(pid, 'command=')
  }
}

/** Returns false when the process is already gone. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}

export async function waitForExit(pid: number, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** An orphan that its new parent does not reap counts as ended. */
function isZombie(pid: number) {
  try {
    return statOf(pid)[0] === 'Z'
  } catch {
    return false
  }
}

/** The fields after the command name, which may contain spaces and brackets; the first is the state. */
function statOf(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function psField(pid: number, field: string) {
  try {
    return execFileSync('ps', ['-o', field, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

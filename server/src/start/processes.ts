// Which process is which: a number alone is soon given to another program.
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

/** Says of a process what stays the same while it lives and differs for the next one with its number. */
export function birthOf(pid: number) {
  try {
    return statOf(pid)[19] ?? ''
  } catch {
    return ask(pid, 'lstart=')
  }
}

export function commandOf(pid: number) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ask(pid, 'command=')
  }
}

/** Sends a signal; a process that is already gone is no failure. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}

export async function hasEndedWithin(pid: number, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** An orphan whose new parent does not collect it has ended all the same. */
function isZombie(pid: number) {
  try {
    return statOf(pid)[0] === 'Z'
  } catch {
    return false
  }
}

/** The fields after the command name, which may itself hold spaces and brackets; the first is the state. */
function statOf(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function ask(pid: number, field: string) {
  try {
    return execFileSync('ps', ['-o', field, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

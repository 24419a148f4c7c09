import { chmodSync, globSync, mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '#start/processes.ts'
import { removeFolder } from './remove-folder.ts'

const memory = '/dev/shm'
const prefix = 'vacancy-test-'

/**
 * A new folder for the databases and temporary files of one run, which removes it. It is in memory where that has room:
 * a database is 700 files and every test file has its own, which costs up to thirty times as much on a disk; and a test
 * that writes durably must not wait for a disk that something else keeps busy.
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(hasRoomInMemory() ? memory : tmpdir(), `${prefix}${process.pid}-`))
  // The user that PostgreSQL runs as must get through.
  chmodSync(folder, 0o711)
  return folder
}

function hasRoomInMemory(): boolean {
  const wanted = 4 * 2 ** 30
  try {
    removeFoldersOfKilledRuns()
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) >= wanted
  } catch {
    return false
  }
}

/** Removes what killed runs left in memory, which would never be freed. */
function removeFoldersOfKilledRuns(): void {
  const start = join(memory, prefix)
  for (const folder of globSync(`${start}*`))
    if (!isAlive(Number(folder.slice(start.length).split('-')[0]))) removeFolder(folder)
}

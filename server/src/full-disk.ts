import { statfs } from 'node:fs/promises'
import { statfsSync } from 'node:fs'

/** Below this a disk counts as full: the next file, or the next 16 MiB of the database's log, does not fit. */
export const fullBelowBytes = 32 * 1_048_576

/** What this process may still write where the folder is; undefined where nobody can tell. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  // The folder is made with the first file; until then its disk is that of the process.
  const disk = await statfs(folder).catch(() => statfs('.').catch(() => undefined))
  return disk && disk.bavail * disk.bsize
}

export const hasRoom = async (folder: string): Promise<boolean> =>
  ((await freeBytes(folder)) ?? Infinity) >= fullBelowBytes

/** As the system and PostgreSQL say it, in an error or in what a part has left in its log. */
const words = /no space left on device|disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/i
const codes = new Set(['ENOSPC', 'EDQUOT', '53100'])

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    codes.has(String((error as { code?: unknown }).code)) ||
    words.test(error.message) ||
    isDiskFull(error.cause)
  )
}

/**
 * An error as it is, or one that says that the disk is full when that is why. A part whose log is on the full disk cannot
 * say so itself; then the disk of its folder is looked at.
 */
export function explainFullDisk(error: unknown, folder?: string): unknown {
  const isHere = folder !== undefined && isFull(folder)
  if (!isHere && !isDiskFull(error)) return error
  const where = isHere ? `The disk is full: nothing more can be written in ${folder}.` : 'The disk is full.'
  return new Error(`${where} Make room (df -h shows which disk), and start again. ${messageOf(error)}`, {
    cause: error,
  })
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < fullBelowBytes
  } catch {
    return false
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

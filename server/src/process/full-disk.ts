import { statfs } from 'node:fs/promises'
import { statfsSync } from 'node:fs'

/** A disk with less counts as full: the next upload, or the next 16 MiB segment of PostgreSQL's WAL, may not fit. */
export const minFreeBytes = 32 * 1_048_576

/** Free bytes on the disk of a folder; undefined when the system does not report it. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  // The folder is created with its first file; until then the working directory stands in for it.
  const disk = await statfs(folder).catch(() => statfs('.').catch(() => undefined))
  return disk && disk.bavail * disk.bsize
}

export const hasFreeSpace = async (folder: string): Promise<boolean> =>
  ((await freeBytes(folder)) ?? Infinity) >= minFreeBytes

/** How the system and PostgreSQL report it, in an error or in a log. */
const diskFullMessage = /no space left on device|disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/i
const diskFullCodes = new Set(['ENOSPC', 'EDQUOT', '53100'])

function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    diskFullCodes.has(String((error as { code?: unknown }).code)) ||
    diskFullMessage.test(error.message) ||
    isDiskFull(error.cause)
  )
}

/**
 * Returns the error, or one that explains that the disk is full when that is its cause. A process whose log is on the full
 * disk cannot report it; so the disk of the folder is checked as well.
 */
export function explainFullDisk(error: unknown, folder?: string): unknown {
  const isHere = folder !== undefined && isFull(folder)
  if (!isHere && !isDiskFull(error)) return error
  const where = isHere ? `The disk is full: nothing can be written to ${folder}.` : 'The disk is full.'
  return new Error(
    `${where} Free some space (df -h shows which disk), then start again. ${messageOf(error)}`,
    {
      cause: error,
    },
  )
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < minFreeBytes
  } catch {
    return false
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

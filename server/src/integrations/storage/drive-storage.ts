import { Disk } from 'flydrive'
import type { DriverContract } from 'flydrive/types'
import { Unavailable } from '#errors.ts'
import type { Storage } from './storage.ts'

/** Storage by the driver of a disk or bucket. */
export function driveStorage(driver: DriverContract): Omit<Storage, 'close'> {
  const disk = new Disk(driver)
  const sizeOf = (key: string) =>
    disk.getMetaData(key).then(
      ({ contentLength }) => contentLength,
      (error: unknown) => {
        if (isMissing(error)) return null
        throw away(error)
      },
    )
  return {
    put(key, content, { contentType, sizeBytes }) {
      // The driver handles only the first error of a stream; a later one without a listener would end the process.
      content.on('error', () => {})
      return disk.putStream(key, content, { contentType, contentLength: sizeBytes }).catch(giveUp)
    },
    async read(key) {
      const sizeBytes = await sizeOf(key)
      if (sizeBytes === null) return null
      return { content: await disk.getStream(key).catch(giveUp), sizeBytes }
    },
    sizeOf,
    remove: (key) => disk.delete(key).catch(giveUp),
  }
}

const away = (cause: unknown) => new Unavailable('The files cannot be reached.', cause)

const giveUp = (error: unknown): never => {
  throw away(error)
}

/** The drivers wrap the error of the system or the bucket. */
function isMissing(error: unknown): boolean {
  const { code, name, cause, $metadata } = Object(error) as {
    code?: unknown
    name?: unknown
    cause?: unknown
    $metadata?: { httpStatusCode?: number }
  }
  if (code === 'ENOENT' || name === 'NoSuchKey' || (name === 'NotFound' && $metadata)) return true
  return cause !== undefined && isMissing(cause)
}

import { S3Client } from '@aws-sdk/client-s3'
import { S3Driver } from 'flydrive/drivers/s3'
import { driveStorage } from './drive-storage.ts'
import type { Storage } from './storage.ts'

export interface Bucket {
  readonly name: string
  /** Null for Amazon S3. */
  readonly endpoint: string | null
  readonly region: string
  /** Null uses the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

/** The time to connect, and the one in which no byte moves. */
const defaultTimeouts = { connectMs: 3_000, answerMs: 10_000 }

/**
 * Each download has a connection of its own for as long as its client reads. Of the library's 50, slow clients could take all;
 * the connections of clients are limited already.
 */
const agents = { httpAgent: { maxSockets: Infinity }, httpsAgent: { maxSockets: Infinity } }

/** A bucket at Amazon S3, or at a server with the same API. */
export function s3Storage(
  { name, endpoint, region, credentials }: Bucket,
  { connectMs, answerMs } = defaultTimeouts,
): Storage {
  const client = new S3Client({
    region,
    // Self-hosted servers usually have no host name for each bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials: { ...credentials } }),
    maxAttempts: 2,
    // The library's checksum of an interrupted stream throws an error that has no listener and ends the process.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    logger: silent,
    // No `requestTimeout`: it limits the sending of a whole file too, and a gibibyte takes longer.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: answerMs, ...agents },
  })
  return {
    ...driveStorage(new S3Driver({ client, bucket: name, visibility: 'private', supportsACL: false })),
    close: () => client.destroy(),
  }
}

const silence = () => {}
/** Errors are thrown; the library would also write them to the console. */
const silent = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }

import { S3Client } from '@aws-sdk/client-s3'
import { S3Driver } from 'flydrive/drivers/s3'
import { driveStorage } from './drive-storage.ts'
import type { Storage } from './storage.ts'

export interface Bucket {
  readonly name: string
  /** Null is that of Amazon. */
  readonly endpoint: string | null
  readonly region: string
  /** Null leaves it to the machine, which may have a role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

/** Until there is a connection, and from the question to the first word of the answer. */
const patience = { connectMs: 3_000, answerMs: 10_000 }

/** A bucket at Amazon S3, or at what speaks like it. */
export function s3Storage(
  { name, endpoint, region, credentials }: Bucket,
  { connectMs, answerMs } = patience,
): Storage {
  const client = new S3Client({
    region,
    // A server of one's own seldom has a host name for each bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials: { ...credentials } }),
    maxAttempts: 2,
    // Its own checksum of a stream that breaks off ends the process: the error reaches nobody who listens.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    logger: silent,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      // Unless it is told, the library only warns of it, and waits on.
      throwOnRequestTimeout: true,
      socketTimeout: answerMs,
    },
  })
  return {
    ...driveStorage(new S3Driver({ client, bucket: name, visibility: 'private', supportsACL: false })),
    close: () => client.destroy(),
  }
}

const silence = () => {}
/** What goes wrong is thrown; the library would also write it to the console. */
const silent = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }

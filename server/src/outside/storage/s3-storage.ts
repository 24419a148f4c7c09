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

/** A bucket at Amazon S3, or at what speaks like it. */
export function s3Storage({ name, endpoint, region, credentials }: Bucket): Storage {
  const client = new S3Client({
    region,
    // A server of one's own seldom has a host name for each bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials: { ...credentials } }),
    maxAttempts: 3,
    // Its own checksum of a stream that breaks off ends the process: the error reaches nobody who listens.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    logger: silent,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000 },
  })
  return {
    ...driveStorage(new S3Driver({ client, bucket: name, visibility: 'private', supportsACL: false })),
    close: () => client.destroy(),
  }
}

const silence = () => {}
/** What goes wrong is thrown; the library would also write it to the console. */
const silent = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }

import { startFauxqs } from 'fauxqs'

/** A bucket at an S3 server of this process, with the settings that lead to it. */
export async function openBucket() {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
  server.createBucket('photos')
  const env = {
    S3_BUCKET: 'photos',
    S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  }
  return { env, [Symbol.asyncDispose]: () => server.stop() }
}

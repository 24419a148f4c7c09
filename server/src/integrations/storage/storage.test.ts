import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFauxqs } from 'fauxqs'
import { Unavailable } from '#errors.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { diskStorage } from './disk-storage.ts'
import { s3Storage } from './s3-storage.ts'
import type { Storage } from './storage.ts'

/** The contract of every storage, on a disk and at an S3 server. */

interface Place extends AsyncDisposable {
  storage: Storage
}

async function onDisk(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'vacancy-storage-'))
  const storage = diskStorage(join(folder, 'media'))
  return { storage, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

const bucketAt = (port: number) => ({
  name: 'photos',
  endpoint: `http://127.0.0.1:${port}`,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
})

async function atS3(): Promise<Place> {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
  server.createBucket('photos')
  const storage = s3Storage(bucketAt(server.port))
  return {
    storage,
    async [Symbol.asyncDispose]() {
      storage.close()
      await server.stop()
    },
  }
}

const put = (storage: Storage, key: string, content: Buffer) =>
  storage.put(key, Readable.from([content.subarray(0, 10), content.subarray(10)]), {
    contentType: 'image/jpeg',
    sizeBytes: content.length,
  })
const keyOf = () => `${randomUUID()}/${randomBytes(24).toString('base64url')}.jpg`

for (const [name, open] of [
  ['disk', onDisk],
  ['S3', atS3],
] as const)
  suite(`a storage: ${name}`, () => {
    test('gives back what was put, byte by byte', async () => {
      await using place = await open()
      const [small, large] = [randomBytes(11), randomBytes(3_000_001)]
      const [one, other] = [keyOf(), keyOf()]
      await Promise.all([put(place.storage, one, small), put(place.storage, other, large)])
      for (const [key, content] of [
        [one, small],
        [other, large],
      ] as const) {
        const file = await place.storage.read(key)
        assert.equal(file!.sizeBytes, content.length)
        assert.ok(content.equals(await buffer(file!.content)), 'other bytes came back')
        assert.equal(await place.storage.sizeOf(key), content.length)
      }
    })

    test('has nothing under other keys, and nothing after it was removed, once or twice', async () => {
      await using place = await open()
      const key = keyOf()
      assert.equal(await place.storage.read(key), null)
      assert.equal(await place.storage.sizeOf(key), null)
      await put(place.storage, key, randomBytes(20))
      await place.storage.remove(key)
      await place.storage.remove(key)
      assert.equal(await place.storage.read(key), null)
    })

    test('says so when what it is to keep breaks off', async () => {
      await using place = await open()
      const broken = Readable.from(
        (async function* () {
          yield Buffer.alloc(1_000)
          throw new Error('the line is cut')
        })(),
      )
      await assert.rejects(
        place.storage.put(keyOf(), broken, { contentType: 'image/jpeg', sizeBytes: 5_000 }),
      )
    })
  })

test('a bucket takes a file whose sending takes longer than an answer may', async () => {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
  server.createBucket('photos')
  const storage = s3Storage(bucketAt(server.port), { connectMs: 2_000, answerMs: 3_000 })
  const key = keyOf()
  const slow = async function* () {
    for (let part = 0; part < 10; part++) {
      await sleep(400)
      yield randomBytes(1_000)
    }
  }
  await storage.put(key, Readable.from(slow()), { contentType: 'application/x-tar', sizeBytes: 10_000 })
  assert.equal(await storage.sizeOf(key), 10_000)
  storage.close()
  await server.stop()
})

suite('a storage that is away', () => {
  test('is unavailable, and does not pass for empty', async () => {
    const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
    const storage = s3Storage(bucketAt(server.port))
    await server.stop()
    const key = keyOf()
    await assert.rejects(storage.read(key), Unavailable)
    await assert.rejects(storage.sizeOf(key), Unavailable)
    await assert.rejects(storage.remove(key), Unavailable)
    await assert.rejects(put(storage, key, randomBytes(20)), Unavailable)
    storage.close()
  })

  test('without a word: it is waited for so long as the settings say', { timeout: 60_000 }, async () => {
    const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
    server.createBucket('photos')
    await using way = await startFaultProxy(`http://127.0.0.1:${server.port}`)
    const bucket = bucketAt(Number(new URL(way.url).port))
    const storage = s3Storage(bucket, { connectMs: 2_000, answerMs: 2_000 })
    const key = keyOf()
    await put(storage, key, randomBytes(20))
    await way.set({ mode: 'blackhole' })
    const other = keyOf()
    await Promise.all([
      assert.rejects(storage.read(key), Unavailable),
      assert.rejects(storage.sizeOf(key), Unavailable),
      assert.rejects(storage.remove(keyOf()), Unavailable),
      assert.rejects(put(storage, other, randomBytes(20)), Unavailable),
    ])
    await way.set({ mode: 'pass' })
    assert.equal(await storage.sizeOf(key), 20)
    storage.close()
    await server.stop()
  })

  test('a folder that cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vacancy-storage-'))
    const storage = diskStorage(join(import.meta.filename, 'media'))
    await assert.rejects(put(storage, keyOf(), randomBytes(20)), Unavailable)
    assert.deepEqual(await readdir(folder), [])
    await rm(folder, { recursive: true })
  })
})

suite('downloads of slow clients', () => {
  test('hold no connection to the bucket that others need', { timeout: 30_000 }, async () => {
    // Sends a part of each file, and never the rest.
    const server = createServer(({ method }, response) => {
      response.writeHead(200, { 'content-length': '1000000' })
      if (method === 'HEAD') response.end()
      else response.write('x')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const storage = s3Storage(bucketAt(port), { connectMs: 3_000, answerMs: 60_000 })
    try {
      const files = await Promise.all(Array.from({ length: 200 }, () => storage.read(keyOf())))
      assert.equal(await storage.sizeOf(keyOf()), 1_000_000)
      files.forEach((file) => file!.content.destroy())
    } finally {
      storage.close()
      server.close()
      server.closeAllConnections()
    }
  })
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { deflateSync, crc32 } from 'node:zlib'
import sharp from 'sharp'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { filesOf, noise, picture, upload } from '#test/uploads.ts'
import { shareWorld } from '#test/share-world.ts'

/** Hostile files are refused and leave nothing behind. */

const { world, owner } = shareWorld({ workers: true })
let propertyId: string

before(async () => (propertyId = (await addSpace(owner)).id))

async function expectNothingLeft() {
  const left = await until(
    () => filesOf(world),
    ({ arriving }) => arriving.length === 0,
  )
  assert.deepEqual(left.stored, [])
  const { media } = expectStatus(await owner.get(`/api/v1/properties/${propertyId}/media`), 200)
  assert.deepEqual(media, [])
}

/** A PNG of one colour: some 30 KB for 16,000 × 16,000 pixels. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8 + body.length)
    frame.writeUInt32BE(data.length, 0)
    body.copy(frame, 4)
    frame.writeUInt32BE(crc32(body), 4 + body.length)
    return frame
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'

suite('rejected files', () => {
  const files: [name: string, code: string, make: () => Buffer | Promise<Buffer>][] = [
    ['SVG with a script', 'unsupported-media', () => Buffer.from(svg)],
    ['SVG behind an XML head', 'unsupported-media', () => Buffer.from(`<?xml version="1.0"?>${svg}`)],
    ['HTML', 'unsupported-media', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    [
      'GIF that is a script',
      'unsupported-media',
      () => Buffer.from('GIF89a/*..*/=1;alert(document.domain)//'),
    ],
    ['zip', 'unsupported-media', () => Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(500)])],
    ['program', 'unsupported-media', () => Buffer.concat([Buffer.from('\x7fELF'), randomBytes(500)])],
    ['zero bytes', 'unsupported-media', () => Buffer.alloc(0)],
    ['three bytes of a JPEG', 'unsupported-media', () => Buffer.from([0xff, 0xd8, 0xff])],
    [
      'JPEG cut off',
      'unsupported-media',
      async () => (await noise(400, 400).jpeg().toBuffer()).subarray(0, 9_000),
    ],
    [
      'PNG cut off',
      'unsupported-media',
      async () => (await noise(400, 400).png().toBuffer()).subarray(0, 9_000),
    ],
    [
      'noise behind the head of a JPEG',
      'unsupported-media',
      () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(5_000)]),
    ],
    [
      'noise behind the head of a PNG',
      'unsupported-media',
      () => Buffer.concat([bomb(9, 9).subarray(0, 16), randomBytes(5_000)]),
    ],
    [
      'noise behind the head of an AVIF',
      'unsupported-media',
      async () => Buffer.concat([(await picture(9, 9, 'avif')).subarray(0, 40), randomBytes(900)]),
    ],
    ['PDF without an end', 'unsupported-media', () => Buffer.from('%PDF-1.7\n<script>alert(1)</script>')],
    ['TIFF', 'unsupported-media', () => noise(20, 20).tiff().toBuffer()],
    ['PNG of 16,000 × 16,000', 'file-too-large', () => bomb(16_000, 16_000)],
    ['PNG of 70,000 × 1', 'file-too-large', () => bomb(70_000, 1)],
    ['PNG of 1 × 70,000', 'file-too-large', () => bomb(1, 70_000)],
    ['PNG of 40,000 × 40,000 by its head', 'file-too-large', () => bomb(40_000, 40_000)],
    [
      'one byte more than 10 MiB',
      'file-too-large',
      () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), randomBytes(10 * 1_048_576 - 2)]),
    ],
    [
      'AVIF of more than 20 million pixels',
      'file-too-large',
      () =>
        sharp({ create: { width: 4_500, height: 4_500, channels: 3, background: '#123' } })
          .avif({ effort: 0 })
          .toBuffer(),
    ],
    [
      'GIF of too many frames',
      'file-too-large',
      async () => {
        const frames = await Promise.all(
          ['#100', '#200', '#300'].map((background) =>
            sharp({ create: { width: 3_000, height: 3_000, channels: 3, background } })
              .png()
              .toBuffer(),
          ),
        )
        return await sharp(frames, { join: { animated: true } })
          .gif({ effort: 1 })
          .toBuffer()
      },
    ],
  ]
  for (const [name, code, make] of files)
    test(name, async () => {
      expectProblem(await upload(owner, propertyId, await make()), 400, code)
      await expectNothingLeft()
    })
})

suite('files that are stored without their dangerous parts', () => {
  const storedOf = async (file: Buffer) => {
    const { media } = expectStatus(await upload(owner, propertyId, file), 200)
    const answer = await fetch(`${world.url}${new URL(media.url).pathname}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
    await world.settled()
    return { media, bytes }
  }

  test('removes HTML after and inside a JPEG', async () => {
    const script = '<script>alert(document.domain)</script>'
    const jpeg = await picture(200, 100)
    const comment = Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from([0xff, 0xfe, 0, script.length + 2]),
      Buffer.from(script),
      jpeg.subarray(2),
      Buffer.from(`<html>${script}</html>`),
    ])
    const { bytes } = await storedOf(comment)
    assert.ok(comment.includes('<script>') && !bytes.includes('<script>') && !bytes.includes('<html>'))
  })

  test('stores a PNG named photo.jpg as a PNG', async () => {
    assert.equal((await storedOf(await picture(10, 10, 'png'))).media.content_type, 'image/png')
  })

  test('accepts a JPEG of exactly 10 MiB', async () => {
    const jpeg = await noise(1_000, 1_000).jpeg().toBuffer()
    const file = Buffer.concat([jpeg, Buffer.alloc(10 * 1_048_576 - jpeg.length)])
    assert.equal((await storedOf(file)).media.width, 1_000)
  })
})

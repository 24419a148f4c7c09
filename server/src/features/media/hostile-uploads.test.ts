import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { deflateSync, crc32 } from 'node:zlib'
import sharp from 'sharp'
import type { TestCaller } from '../../../test/caller.ts'
import { expectProblem, expectStatus } from '../../../test/expect.ts'
import { addSpace } from '../../../test/records.ts'
import { until } from '../../../test/stock.ts'
import { filesOf, noise, picture, upload } from '../../../test/uploads.ts'
import { openWorld, type World } from '../../../test/world.ts'

/** Files that mean no good, and bodies that are none. Whatever is refused leaves nothing behind. */

let world: World
let owner: TestCaller
let propertyId: string

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  propertyId = (await addSpace(owner)).id
})
after(() => world[Symbol.asyncDispose]())

async function expectNothingLeft() {
  const left = await until(
    () => filesOf(world),
    ({ arriving }) => arriving.length === 0,
  )
  assert.deepEqual(left.stored, [])
  const { media } = expectStatus(await owner.get(`/api/v1/properties/${propertyId}/media`), 200)
  assert.deepEqual(media, [])
}

/** A PNG that says it is large and is all of one colour: some 30 KB for 16,000 × 16,000. */
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

suite('files that are refused', () => {
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
    ['PNG of 40,000 × 40,000 by its head', 'file-too-large', () => bomb(40_000, 40_000)],
    [
      'one byte more than 10 MiB',
      'file-too-large',
      () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), randomBytes(10 * 1_048_576 - 2)]),
    ],
    [
      'GIF of too many frames',
      'file-too-large',
      async () => {
        const frames = await Promise.all(
          ['#100', '#200', '#300', '#400', '#500', '#600'].map((background) =>
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

suite('files that are kept, without what is wrong with them', () => {
  const storedOf = async (file: Buffer) => {
    const { media } = expectStatus(await upload(owner, propertyId, file), 200)
    const answer = await fetch(`${world.url}${new URL(media.url).pathname}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
    await world.settled()
    return { media, bytes }
  }

  test('a page behind a JPEG, and inside of one, is gone', async () => {
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

  test('a PNG that is called photo.jpg is a PNG', async () => {
    assert.equal((await storedOf(await picture(10, 10, 'png'))).media.content_type, 'image/png')
  })

  test('a JPEG of exactly 10 MiB', async () => {
    const jpeg = await noise(1_000, 1_000).jpeg().toBuffer()
    const file = Buffer.concat([jpeg, Buffer.alloc(10 * 1_048_576 - jpeg.length)])
    assert.equal((await storedOf(file)).media.width, 1_000)
  })
})

suite('bodies that are refused', () => {
  const boundary = 'xx'
  const part = (head: string, content: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  const file = (content: string | Buffer, name = 'file') =>
    part(
      `content-disposition: form-data; name="${name}"; filename="a.jpg"\r\ncontent-type: image/jpeg`,
      content,
    )
  const field = (name: string, value: string, more = '') =>
    part(`content-disposition: form-data; name="${name}"${more}`, value)
  const end = `--${boundary}--\r\n`
  const send = (parts: (string | Buffer)[], type = `multipart/form-data; boundary=${boundary}`) =>
    owner.send('POST', `/api/v1/properties/${propertyId}/media`, {
      body: new Uint8Array(Buffer.concat(parts.map((one) => Buffer.from(one)))),
      headers: { 'content-type': type },
    })

  let jpeg: Buffer
  before(async () => {
    jpeg = await picture()
  })
  const bodies: [name: string, parts: () => (string | Buffer)[], status: number, code: string][] = [
    ['no part at all', () => [end], 400, 'validation-error'],
    ['nothing', () => [], 400, 'validation-error'],
    ['only a field', () => [field('description', 'x'), end], 400, 'validation-error'],
    ['a file as a field', () => [field('file', 'x'), end], 400, 'validation-error'],
    ['a file of another name', () => [file(jpeg, 'photo'), end], 400, 'validation-error'],
    ['two files', () => [file(jpeg), file(jpeg), end], 400, 'validation-error'],
    ['a member we do not know', () => [field('org_id', 'x'), file(jpeg), end], 400, 'validation-error'],
    ['__proto__', () => [field('__proto__', 'x'), file(jpeg), end], 400, 'bad-request'],
    [
      'a field twice',
      () => [field('description', 'x'), field('description', 'y'), file(jpeg), end],
      400,
      'validation-error',
    ],
    [
      'a thousand fields',
      () => [...Array.from({ length: 1_000 }, (_, n) => field(`f${n}`, 'x')), file(jpeg), end],
      400,
      'validation-error',
    ],
    [
      'a field of a megabyte',
      () => [field('description', 'x'.repeat(1_000_000)), file(jpeg), end],
      400,
      'validation-error',
    ],
    ['U+0000', () => [field('description', 'a\0b'), file(jpeg), end], 400, 'validation-error'],
    ['a unit that is no id', () => [field('unit_id', 'x'), file(jpeg), end], 400, 'validation-error'],
    [
      'an object for text',
      () => [field('description', '{"a":1}', '\r\ncontent-type: application/json'), file(jpeg), end],
      400,
      'validation-error',
    ],
    ['no end', () => [file(jpeg)], 400, 'bad-request'],
    ['cut off inside of the file', () => [file(jpeg).subarray(0, 200)], 400, 'bad-request'],
    ['no multipart at all', () => [randomBytes(3_000)], 400, 'bad-request'],
  ]
  for (const [name, parts, status, code] of bodies)
    test(name, async () => {
      expectProblem(await send(parts()), status, code)
      await expectNothingLeft()
    })

  test('without a boundary, as JSON, as a bare picture', async () => {
    expectProblem(await send([file(jpeg), end], 'multipart/form-data'), 400, 'bad-request')
    expectProblem(await send(['{}'], 'application/json'), 415, 'unsupported-media-type')
    expectProblem(await send([jpeg], 'image/jpeg'), 415, 'unsupported-media-type')
    await expectNothingLeft()
  })

  test('chunked, without a length, is as good as any', async () => {
    const chunks = [file(jpeg), Buffer.from(end)]
    const answer = await fetch(`${world.url}/api/v1/properties/${propertyId}/media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    })
    const { media } = (await answer.json()) as { media: { id: string; checksum: string } }
    assert.equal(answer.status, 200)
    expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
    await world.settled()
  })

  test('much more than is allowed is answered, and cut off in the end', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(sent === 65_536 ? file(randomBytes(65_000)).subarray(0, -2) : randomBytes(65_536))
      },
    })
    const answer = await fetch(`${world.url}/api/v1/properties/${propertyId}/media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: endless,
      duplex: 'half',
    }).catch(() => null)
    if (answer) assert.equal(answer.status, 400)
    assert.ok(sent < 200 * 1_048_576, `${sent} bytes were read`)
    await expectNothingLeft()
  })

  test('who goes away halfway leaves nothing', async () => {
    const body = file(await noise(2_000, 1_000).jpeg().toBuffer())
    const { hostname, port } = new URL(world.url)
    for (const share of [0.02, 0.5, 1]) {
      const socket = connect(Number(port), hostname)
      const head = [
        `POST /api/v1/properties/${propertyId}/media HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${owner.token}`,
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        `Content-Length: ${body.length + 50}`,
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body.subarray(0, Math.round(body.length * share)))
      await until(
        () => filesOf(world),
        ({ arriving }) => arriving.length > 0,
      )
      socket.destroy()
      await expectNothingLeft()
    }
  })
})

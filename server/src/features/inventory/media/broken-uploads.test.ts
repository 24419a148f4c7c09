import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { filesOf, noise, picture } from '#test/uploads.ts'
import { shareWorld } from '#test/share-world.ts'

/** Invalid and interrupted uploads leave nothing behind. */

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

suite('rejected bodies', () => {
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

  test('rejects a body without a boundary, as JSON, and as a plain picture', async () => {
    expectProblem(await send([file(jpeg), end], 'multipart/form-data'), 400, 'bad-request')
    expectProblem(await send(['{}'], 'application/json'), 415, 'unsupported-media-type')
    expectProblem(await send([jpeg], 'image/jpeg'), 415, 'unsupported-media-type')
    await expectNothingLeft()
  })

  test('accepts a chunked body without a length', async () => {
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

  test('answers a body that is far too large, and closes the connection in the end', async () => {
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

  test('an upload that is aborted leaves no files', async () => {
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

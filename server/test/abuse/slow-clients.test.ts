import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '../expect.ts'
import { addSpace } from '../records.ts'
import { until } from '../linked-units.ts'
import { filesOf, noise } from '../uploads.ts'
import { shareWorld } from '../share-world.ts'
import { close, host, json, path } from './attacker.ts'
import { openWire, type Wire } from './raw-answers.ts'

// Slow connections are closed, release everything, and do not affect others.

const bodyMs = 2_000
const { world, owner } = shareWorld({
  env: {
    HEADERS_TIMEOUT_MS: '1000',
    BODY_TIMEOUT_MS: String(bodyMs),
    UPLOAD_TIMEOUT_MS: '6000',
    IDLE_TIMEOUT_MS: '1000',
  },
})
let propertyId: string
let token: string

before(async () => {
  propertyId = (await addSpace(owner)).id
  token = `Authorization: Bearer ${owner.token}\r\n`
})

/** Writes a piece repeatedly until the server closes the connection. */
async function drip(wire: Wire, piece: string | Buffer, everyMs: number): Promise<void> {
  while (wire.socket.writable && !wire.socket.closed) {
    wire.write(piece)
    await sleep(everyMs)
  }
}

const uploadHead = (bytes: number) =>
  `POST /api/v1/properties/${propertyId}/media HTTP/1.1\r\n${host}${token}Content-Type: multipart/form-data; boundary=xx\r\nContent-Length: ${bytes}\r\n\r\n`
const part =
  '--xx\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n'
const end = '\r\n--xx--\r\n'

suite('slow senders', () => {
  test('closes a silent connection', async () => {
    await using wire = await openWire(world.url)
    const answers = await wire.ended
    if (answers[0]) expectProblem(answers[0], 408, 'request-timeout')
  })

  test('closes a connection with slow headers', async () => {
    await using wire = await openWire(world.url)
    wire.write(`GET ${path} HTTP/1.1\r\n${host}X: `)
    await drip(wire, 'a', 20)
    const [answer, ...others] = await wire.ended
    if (answer) expectProblem(answer, 408, 'request-timeout')
    assert.equal(others.length, 0)
  })

  for (const framing of ['Content-Length: 5000', 'Transfer-Encoding: chunked'])
    test(`rejects a slow body, with ${framing}`, async () => {
      const before = expectStatus(await owner.get(path), 200).spaces.length
      await using wire = await openWire(world.url)
      wire.write(`POST ${path} HTTP/1.1\r\n${host}${token}${json}${framing}\r\n\r\n`)
      await drip(wire, framing.includes('chunked') ? '1\r\n \r\n' : ' ', 20)
      const [answer, ...others] = await wire.ended
      expectProblem(answer!, 408, 'request-timeout')
      assert.equal(answer!.headers.get('connection'), 'close')
      assert.equal(others.length, 0)
      assert.equal(expectStatus(await owner.get(path), 200).spaces.length, before)
    })

  test('a rejected client that continues to send gets one response', async () => {
    await using wire = await openWire(world.url)
    wire.write(`POST ${path} HTTP/1.1\r\n${host}${json}Content-Length: 5000\r\n\r\n`)
    await drip(wire, ' ', 20)
    const [answer, ...others] = await wire.ended
    expectProblem(answer!, 401, 'unauthorized')
    assert.equal(others.length, 0)
  })

  test('keeps an idle connection for a while, and closes it', async () => {
    await using wire = await openWire(world.url)
    wire.write(`GET /health HTTP/1.1\r\n${host}\r\n`)
    assert.deepEqual(
      (await wire.ended).map(({ status }) => status),
      [200],
    )
  })
})

suite('slow files', () => {
  test('waits longer for a file than for other bodies', async () => {
    const file = await noise(600, 400).jpeg().toBuffer()
    const began = Date.now()
    await using wire = await openWire(world.url)
    wire.write(
      `${uploadHead(part.length + file.length + end.length).replace('\r\n\r\n', `\r\n${close}\r\n`)}${part}`,
    )
    const pieceBytes = 24_576
    for (let at = 0; at < file.length; at += pieceBytes) {
      // The last one comes when a body would have been given up.
      const isLast = at + pieceBytes >= file.length
      if (isLast) while (Date.now() - began < bodyMs * 1.2) await sleep(20)
      wire.write(file.subarray(at, at + pieceBytes))
      await sleep(Math.min(150, (bodyMs * 0.6 * pieceBytes) / file.length))
    }
    wire.write(end)
    const [answer] = await wire.ended
    const { media } = expectStatus(answer!, 200)
    expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
  })
})

suite('stalled files', () => {
  for (const [what, bytes, everyMs] of [
    ['letter by letter', 1, 20],
    ['enough in each piece, and for ever', 65_536, 100],
  ] as const)
    test(`${what}: aborted, and nothing remains`, async () => {
      await using wire = await openWire(world.url)
      wire.write(`${uploadHead(10_000_000)}${part}`)
      await drip(wire, Buffer.alloc(bytes, 0xff), everyMs)
      const [answer, ...others] = await wire.ended
      if (answer) expectProblem(answer, 408, 'request-timeout')
      assert.equal(others.length, 0)
      const { arriving } = await until(
        () => filesOf(world),
        (found) => found.arriving.length === 0,
      )
      assert.deepEqual(arriving, [])
    })
})

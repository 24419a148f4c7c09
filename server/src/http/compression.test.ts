import assert from 'node:assert/strict'
import { get as httpGet, type IncomingHttpHeaders } from 'node:http'
import { before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let large: string
let small: string
before(async () => {
  large = `/api/v1/spaces/${(await addSpace(owner, { description: 'A long text. '.repeat(300) })).id}`
  small = '/health'
})

interface Raw {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** The compressed response, because `fetch` decompresses it. */
const raw = (path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<Raw>((resolve, reject) => {
    const authorization = `Bearer ${owner.token!}`
    httpGet(new URL(path, world.url), { method, headers: { authorization, ...headers } }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.once('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(parts) }),
      )
      answer.once('error', reject)
    }).once('error', reject)
  })

const accepting = (path: string, encodings: string) => raw(path, { 'accept-encoding': encodings })

suite('compression', () => {
  test('compresses a long response with the preferred encoding', async () => {
    const plain = await raw(large, {})
    assert.equal(plain.headers['content-encoding'], undefined)
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [asked, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0.2, gzip;q=0.8', 'gzip'],
      ['*', 'gzip'],
    ] as const) {
      const { status, headers, bytes } = await accepting(large, asked)
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], encoding, asked)
      assert.match(headers.vary ?? '', /accept-encoding/i)
      assert.ok(bytes.length < plain.bytes.length / 5, `${bytes.length} of ${plain.bytes.length} bytes`)
      assert.deepEqual(unpack[encoding](bytes), plain.bytes)
    }
  })

  test('does not compress short responses, or when the client does not accept it', async () => {
    for (const { headers, bytes } of [
      await accepting(small, 'gzip, br'),
      await accepting(large, 'identity'),
      await accepting(large, 'br;q=0, gzip;q=0'),
      await accepting(large, 'compress'),
    ]) {
      assert.equal(headers['content-encoding'], undefined)
      assert.match(headers.vary ?? '', /accept-encoding/i, 'a cache must not give it to others')
      JSON.parse(bytes.toString())
    }
  })

  test('HEAD has the headers of GET, and no body', async () => {
    const head = await raw(large, { 'accept-encoding': 'gzip' }, 'HEAD')
    expectHead(head, await accepting(large, 'gzip'))
  })

  const expectHead = (head: Raw, get: Raw) => {
    assert.equal(head.status, 200)
    assert.equal(head.bytes.length, 0)
    for (const name of ['content-encoding', 'etag', 'content-type', 'vary'])
      assert.equal(head.headers[name], get.headers[name], name)
  }

  test('the contract, a list and a problem are compressed as well', async () => {
    const unknown = Array.from({ length: 30 }, (_, nth) => `unknown_${nth}=1`).join('&')
    for (const path of ['/api/v1/openapi.json', '/api/v1/spaces', `/api/v1/bookings?${unknown}`])
      assert.equal((await accepting(path, 'br')).headers['content-encoding'], 'br', path)
  })

  test('each encoding has its own ETag, valid for reading and writing', async () => {
    const { body } = await owner.get(large)
    const etags = new Set<string>()
    for (const encoding of ['identity', 'gzip', 'br']) {
      const etag = (await accepting(large, encoding)).headers.etag!
      assert.match(etag, /^"[^"]+"$/)
      etags.add(etag)
      for (const accepted of ['identity', 'gzip', 'br']) {
        const known = await raw(large, { 'accept-encoding': accepted, 'if-none-match': etag })
        assert.equal(known.status, 304)
        assert.equal(known.bytes.length, 0)
        assert.equal(known.headers.etag, etag)
      }
    }
    assert.equal(etags.size, 3)
    for (const name of ['first', 'second', 'third']) {
      const etag = (await accepting(large, { first: 'identity', second: 'gzip', third: 'br' }[name]!)).headers
        .etag!
      expectStatus(await owner.put(large, { ...body.space, name }, { 'if-match': etag }), 200)
      expectProblem(
        await owner.put(large, { ...body.space, name: 'x' }, { 'if-match': etag }),
        412,
        'precondition-failed',
      )
    }
  })

  test('does not decompress request bodies', async () => {
    const reply = await owner.send('POST', '/api/v1/spaces', {
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: '{}',
    })
    expectProblem(reply, 415, 'unsupported-media-type')
  })
})

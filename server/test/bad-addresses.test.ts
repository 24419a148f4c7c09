import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { expectProblem } from './expect.ts'
import { openPopulatedWorld, type PopulatedWorld } from './populated-world.ts'
import { fillPath, operations, resolveSchema } from './operations.ts'
import { noIds, unknownId } from './records.ts'
import { sendRaw } from './wire.ts'

// Invalid URLs, headers and bytes are refused, have no effect, and every list still works.

let onslaught: PopulatedWorld
let listsBefore: Record<string, string>

before(async () => {
  onslaught = await openPopulatedWorld()
  listsBefore = await onslaught.everyList()
})
after(async () => {
  await using thrownAt = onslaught
  assert.deepEqual(await thrownAt.everyList(), listsBefore, 'a refused request had an effect')
})

suite('bad input: addresses and headers', () => {
  for (const operation of operations.filter(({ queryParameters }) => queryParameters.length > 0))
    test(`${operation.name} refuses wrong, repeated and unstorable parameters`, async () => {
      const at = onslaught.pathOf(operation)
      const { method } = operation
      const body = { body: '{}', headers: { 'content-type': 'application/json' } }
      const ask = (path: string) => onslaught.owner.send(method, path, method === 'GET' ? {} : body)
      for (const { name, schema: found } of operation.queryParameters) {
        const { type, format } = resolveSchema(found)
        const wrong = [`${name}=%00`, `${name}=${'x'.repeat(2_000)}`]
        // A filter takes several values; any other parameter has one.
        if (type !== 'array') wrong.push(`${name}=1&${name}=2`)
        if (format === 'date-time')
          for (const date of [
            'infinity',
            '-infinity',
            'now',
            '300000-01-01T00:00:00Z',
            '2026-02-30T00:00:00Z',
            '0',
          ])
            wrong.push(`${name}=${date}`)
        if (type === 'integer')
          wrong.push(`${name}=-1`, `${name}=1e400`, `${name}=NaN`, `${name}=9007199254740993`)
        for (const query of wrong) {
          const reply = await ask(`${at}?${query}`)
          assert.equal(reply.status, 400, `${query.slice(0, 60)}: ${reply.text}`)
          expectProblem(reply, 400, reply.body.code)
        }
        for (const odd of ['%ff', '%ED%A0%80', '%', '%u0000', '%F0%9F%8F%A0', '[]=1', '=', '&&=&']) {
          const { status, text } = await ask(`${at}?${name}=${odd}`)
          assert.ok([200, 400].includes(status), `${name}=${odd}: ${text}`)
        }
      }
    })

  for (const operation of operations.filter(({ path }) => path.includes('{')))
    test(`${operation.name} refuses an id of another form`, async () => {
      for (const id of [
        ...noIds,
        '%FF',
        '%ED%A0%80',
        '..%2f..',
        '%0d%0aX:1',
        '-1',
        'infinity',
        unknownId.slice(1),
      ]) {
        const at = fillPath(operation.path, id)
        const reply = await onslaught.owner.send(operation.method, at, {
          ...(operation.body && { body: JSON.stringify(onslaught.fitting(operation)) }),
          headers: operation.body ? { 'content-type': 'application/json' } : {},
        })
        assert.ok([400, 404].includes(reply.status), `${id}: ${reply.status} ${reply.text}`)
        expectProblem(reply, reply.status, reply.body.code)
      }
    })

  test('headers of any content are looked at without harm', async () => {
    const odd = [
      'x',
      '"',
      '\u00ff',
      '*',
      ',',
      '"a',
      'W/',
      '0'.repeat(8_000),
      '00-0-0-00',
      '{"a":1}',
      '../../etc',
    ]
    for (const name of [
      'if-none-match',
      'traceparent',
      'tracestate',
      'x-request-id',
      'x-forwarded-for',
      'accept',
    ])
      for (const value of odd) {
        const { status } = await onslaught.owner.get(`/api/v1/spaces/${onslaught.ids['space_id']}`, {
          [name]: value,
        })
        assert.ok([200, 304].includes(status), `${name}: ${value.slice(0, 20)} ${status}`)
      }
    for (const value of odd) {
      const reply = await onslaught.owner.get('/api/v1/spaces', { authorization: `Bearer ${value}` })
      expectProblem(reply, 401, 'unauthorized')
    }
  })

  test('an unknown path is 404, one that cannot be decoded 400', async () => {
    for (const path of [
      '/nowhere',
      '/api/v1',
      '/api/v1/',
      '/api/v2/spaces',
      '/API/V1/SPACES',
      '/api/v1/spaces/a/b',
      '/problems/unheard-of',
      '/calendars/%0a.ics',
    ])
      expectProblem(await onslaught.owner.get(path), 404, 'no-such-path')
    for (const path of ['/api/v1/spaces/%zz', '/%'])
      expectProblem(await onslaught.owner.get(path), 400, 'bad-request')
  })
})

suite('bad input: on the wire', () => {
  const head = () => `Host: x\r\nAuthorization: Bearer ${onslaught.owner.token}\r\nConnection: close\r\n`
  const broken: [string, () => string, number, string][] = [
    [
      '20,000 bytes of a header',
      () => `GET / HTTP/1.1\r\n${head()}X-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
    [
      '20,000 bytes of an address',
      () => `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${head()}\r\n`,
      431,
      'headers-too-large',
    ],
    ['no HTTP', () => 'GARBAGE\r\n\r\n', 400, 'bad-request'],
    ['an unheard-of method', () => `FOO / HTTP/1.1\r\n${head()}\r\n`, 400, 'bad-request'],
    ['U+0000 in the address', () => `GET /\0 HTTP/1.1\r\n${head()}\r\n`, 400, 'bad-request'],
    ['U+0000 in a header', () => `GET / HTTP/1.1\r\nX-A: \0\r\n${head()}\r\n`, 400, 'bad-request'],
    [
      'a length in words',
      () => `POST /api/v1/spaces HTTP/1.1\r\n${head()}Content-Length: two\r\n\r\n{}`,
      400,
      'bad-request',
    ],
    [
      'two lengths',
      () =>
        `POST /api/v1/spaces HTTP/1.1\r\n${head()}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'bad-request',
    ],
    [
      'a length of 2 MB',
      () =>
        `POST /api/v1/spaces HTTP/1.1\r\n${head()}Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`,
      413,
      'payload-too-large',
    ],
  ]
  for (const [what, bytes, status, code] of broken)
    test(`${what}: ${status}`, async () => {
      const { text, ...reply } = await sendRaw(onslaught.world.url, bytes())
      expectProblem({ ...reply, text, body: JSON.parse(text) }, status, code)
    })

  test('a path with another method names those it has', async () => {
    for (const { path } of operations) {
      const reply = await onslaught.owner.send('PROPFIND', onslaught.pathOf({ path }), {})
      expectProblem(reply, 405, 'method-not-allowed')
      const offered = operations.filter((one) => one.path === path).map(({ method }) => method)
      for (const method of offered) assert.ok(reply.headers.get('allow')!.split(', ').includes(method), path)
    }
  })
})

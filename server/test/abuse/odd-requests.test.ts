import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { expectStatus } from '../expect.ts'
import {
  chunks,
  close,
  closed,
  fine,
  host,
  json,
  length,
  openAttacker,
  path,
  type Attacker,
} from './attacker.ts'

// Malformed requests are refused or the connection is closed; none causes a 500.

let attacker: Attacker

before(async () => {
  attacker = await openAttacker()
})
after(() => attacker[Symbol.asyncDispose]())

suite('invalid request heads', () => {
  const heads: [string, () => string | Buffer, ...number[]][] = [
    ['bare LF for every line', () => attacker.get(close).replaceAll('\r\n', '\n'), 400],
    ['bare CR for every line', () => attacker.get(close).replaceAll('\r\n', '\r'), 400, 408],
    ['a bare LF in a header', () => attacker.get(`X: a\nY: b\r\n${close}`), 400],
    ['a bare CR in a header', () => attacker.get(`X: a\rY: b\r\n${close}`), 400],
    ['a header that goes on in a second line', () => attacker.get(`X: a\r\n b\r\n${close}`), 400],
    ['a space before the colon', () => attacker.get(`X : a\r\n${close}`), 400],
    ['a space before the first header', () => attacker.get(close, `GET ${path} HTTP/1.1\r\n X: y`), 400],
    ['a header without a colon', () => attacker.get(`X\r\n${close}`), 400],
    ['a header without a name', () => attacker.get(`: x\r\n${close}`), 400],
    ['U+0000 in a name', () => attacker.get(`X\0: a\r\n${close}`), 400],
    ['U+0000 in a value', () => attacker.get(`X: a\0b\r\n${close}`), 400],
    ['a name that is not ASCII', () => attacker.get(`Ä: a\r\n${close}`), 400],
    ['U+0000 in the address', () => attacker.get(close, `GET ${path}\0 HTTP/1.1`), 400],
    ['a space in the address', () => attacker.get(close, `GET ${path} x HTTP/1.1`), 400],
    ['a tabulator in the address', () => attacker.get(close, `GET ${path}\t HTTP/1.1`), 400],
    ['a second request in the address', () => attacker.get(close, `GET ${path}\r\nX: HTTP/1.1`), 400],
    ['no version', () => attacker.get(close, `GET ${path}`), 400],
    ['HTTP/0.9', () => `GET ${path}\r\n\r\n`, 400],
    ['HTTP/1.2', () => attacker.get(close, `GET ${path} HTTP/1.2`), 400],
    ['HTTP/2.0 in words', () => attacker.get(close, `GET ${path} HTTP/2.0`), 400],
    ['HTTP/3', () => attacker.get(close, `GET ${path} HTTP/3`), 400],
    ['a preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a TLS hello', () => Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['lower-case http', () => attacker.get(close, `GET ${path} http/1.1`), 400],
    ['a method in lower case', () => attacker.get(close, `get ${path} HTTP/1.1`), 400],
    ['an unheard-of method', () => attacker.get(close, `FOO ${path} HTTP/1.1`), 400],
    ['a method of 20,000 letters', () => attacker.get(close, `${'A'.repeat(20_000)} ${path} HTTP/1.1`), 400],
    ['a header of 20,000 bytes', () => attacker.get(`X: ${'a'.repeat(20_000)}\r\n${close}`), 431],
    [
      '5,000 headers',
      () => attacker.get(Array.from({ length: 5_000 }, (_, n) => `X${n}: a\r\n`).join('')),
      431,
    ],
    [
      'an address of 20,000 bytes',
      () => attacker.get(close, `GET ${path}?q=${'a'.repeat(20_000)} HTTP/1.1`),
      431,
    ],
    ['no Host', () => `GET ${path} HTTP/1.1\r\n${attacker.token}${close}\r\n`, 400],
    ['two Hosts', () => attacker.get(`Host: y\r\n${close}`), 400],
    ['two tokens', () => attacker.get(`${attacker.token}${close}`), 400],
    [
      'a token behind a comma',
      () => attacker.get(close).replace('Authorization: ', 'Authorization: Basic eA==, '),
      401,
    ],
  ]
  for (const [what, bytes, ...statuses] of heads) test(what, () => attacker.expectNoEffect(bytes(), statuses))
})

suite('unusual methods and URLs', () => {
  const odd: [string, () => string, ...number[]][] = [
    ['TRACE', () => attacker.get(close, `TRACE ${path} HTTP/1.1`), 405],
    ['CONNECT to elsewhere', () => `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, closed],
    ['CONNECT to a path', () => attacker.get(close, `CONNECT ${path} HTTP/1.1`), 400, closed],
    ['PURGE', () => attacker.get(close, `PURGE ${path} HTTP/1.1`), 405],
    ['QUERY', () => attacker.get(close, `QUERY ${path} HTTP/1.1`), 400, 405],
    ['OPTIONS *', () => attacker.get(close, 'OPTIONS * HTTP/1.1'), 400],
    ['GET *', () => attacker.get(close, 'GET * HTTP/1.1'), 400],
    ['a path without a slash', () => attacker.get(close, 'GET api/v1/spaces HTTP/1.1'), 400, 404],
    ['a path with two', () => attacker.get(close, 'GET //api/v1/spaces HTTP/1.1'), 404],
    ['a path with dots', () => attacker.get(close, 'GET /api/v1/../v1/spaces HTTP/1.1'), 404],
    ['a path with encoded dots', () => attacker.get(close, 'GET /api/v1/%2e%2e/v1/spaces HTTP/1.1'), 404],
    ['a path with an encoded slash', () => attacker.get(close, 'GET /api%2fv1%2fspaces HTTP/1.1'), 404],
    ['a path with a backslash', () => attacker.get(close, 'GET \\api\\v1\\spaces HTTP/1.1'), 400, 404],
    ['a path with a semicolon', () => attacker.get(close, `GET ${path};a=b HTTP/1.1`), 404],
    [
      'a file of the machine',
      () => attacker.get(close, 'GET /assets/../../../../etc/passwd HTTP/1.1'),
      400,
      404,
    ],
    [
      'and encoded',
      () => attacker.get(close, 'GET /assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd HTTP/1.1'),
      403,
      404,
    ],
    [
      'and of the reference',
      () => attacker.get(close, 'GET /docs/assets/..%2fpackage.json HTTP/1.1'),
      403,
      404,
    ],
    [
      'another method by a header',
      () => attacker.get(`X-HTTP-Method-Override: DELETE\r\n${close}`, `POST ${path} HTTP/1.1`),
      400,
      415,
    ],
    ['Expect: something', () => attacker.post(`Expect: 200-ok\r\n${length('{}')}`, '{}'), 417],
  ]
  for (const [what, bytes, ...statuses] of odd) test(what, () => attacker.expectNoEffect(bytes(), statuses))

  const served: [string, () => string][] = [
    ['HTTP/1.0 without a Host', () => `GET ${path} HTTP/1.0\r\n${attacker.token}\r\n`],
    [
      'an address with a scheme and a host',
      () => attacker.get(close, `GET http://elsewhere.example${path} HTTP/1.1`),
    ],
    ['an encoded letter in the path', () => attacker.get(close, 'GET /%61pi/v1/spaces HTTP/1.1')],
    ['an upgrade that is not offered', () => attacker.get('Connection: upgrade\r\nUpgrade: websocket\r\n')],
    [
      'an upgrade to HTTP/2',
      () => attacker.get('Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n'),
    ],
    ['a body with a GET', () => attacker.get(`${length(attacker.hidden())}${close}`) + attacker.hidden()],
    ['empty lines before it', () => `\r\n\r\n${attacker.get(close)}`],
  ]
  for (const [what, bytes] of served)
    test(`${what}: one regular response`, async () => {
      const answers = await attacker.send(bytes())
      assert.deepEqual(
        answers.map(({ status, text }) => [status, text.slice(0, 10)]),
        [[200, '{"spaces":']],
      )
      assert.equal(answers[0]!.headers.get('cache-control'), 'no-store')
    })
})

suite('bodies that differ from their headers', () => {
  const body = () => fine
  const bodies: [string, () => string | Buffer, ...number[]][] = [
    [
      'invalid UTF-8',
      () =>
        Buffer.concat([
          Buffer.from(attacker.post('Content-Length: 12\r\nConnection: close\r\n', '')),
          Buffer.from('{"name":"\xff"}', 'latin1'),
        ]),
      400,
    ],
    ['gzip', () => attacker.post(`Content-Encoding: gzip\r\n${length(body())}${close}`, body()), 415],
    [
      'gzip, twice',
      () => attacker.post(`Content-Encoding: gzip, gzip\r\n${length(body())}${close}`, body()),
      415,
    ],
    [
      'gzip as a transfer',
      () => attacker.post(`Transfer-Encoding: gzip, chunked\r\n${close}`, chunks(body())),
      400,
      501,
    ],
    [
      'JSON as text',
      () => attacker.post(`${length(body())}${close}`, body()).replace('application/json', 'text/plain'),
      415,
    ],
    [
      'JSON as a form',
      () =>
        attacker
          .post(`${length(body())}${close}`, body())
          .replace('application/json', 'application/x-www-form-urlencoded'),
      415,
    ],
    [
      'JSON as files',
      () =>
        attacker
          .post(`${length(body())}${close}`, body())
          .replace('application/json', 'multipart/form-data; boundary=x'),
      415,
    ],
    [
      'JSON of another alphabet',
      () =>
        attacker
          .post(`${length(body())}${close}`, body())
          .replace('application/json', 'application/json; charset=utf-16'),
      415,
    ],
    ['no content type', () => attacker.post(`${length(body())}${close}`, body()).replace(json, ''), 415],
    [
      'an empty content type',
      () => attacker.post(`${length(body())}${close}`, body()).replace(json, 'Content-Type: \r\n'),
      415,
    ],
    [
      'two content types',
      () => attacker.post(`Content-Type: text/plain\r\n${length(body())}${close}`, body()),
      400,
    ],
    [
      'two content types in one',
      () => attacker.post(`${length(body())}${close}`, body()).replace('json', 'json, text/plain'),
      415,
    ],
    ['less than its length', () => attacker.post(length(`${body()}more`), body()), 408],
    ['nothing, and no length', () => attacker.post(close, ''), 400],
  ]
  for (const [what, bytes, ...statuses] of bodies)
    test(what, () => attacker.expectNoEffect(bytes(), statuses))

  test('chunk extensions and trailers are ignored', async () => {
    const trailers = 'Authorization: Bearer x\r\nX: y\r\n'
    const bytes = attacker.post(
      `Transfer-Encoding: chunked\r\n${close}`,
      chunks(fine, ';a=b;c="d"', trailers),
    )
    const [answer, ...others] = await attacker.send(bytes)
    const { space } = expectStatus(answer!, 201)
    assert.equal(others.length, 0)
    expectStatus(await attacker.owner.delete(`${path}/${space.id}`), 204)
  })

  test('responds to Expect: 100-continue', async () => {
    const body = fine
    const answers = await attacker.send(
      attacker.post(`Expect: 100-continue\r\n${length(body)}${close}`, body),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    )
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { expectProblem } from '../expect.ts'
import { chunks, close, closed, fine, host, json, openAttacker, path, type Attacker } from './attacker.ts'

// Requests that a proxy and this server could parse differently get one response or none, and have no effect.

let attacker: Attacker

before(async () => {
  attacker = await openAttacker()
})
after(() => attacker[Symbol.asyncDispose]())

suite('ambiguous request lengths', () => {
  const both = (transferEncoding: string) =>
    `POST ${path} HTTP/1.1\r\n${host}${attacker.token}${json}Content-Length: 6\r\n${transferEncoding}\r\n\r\n0\r\n\r\n${attacker.hidden()}`
  const alone = (transferEncoding: string) =>
    `POST ${path} HTTP/1.1\r\n${host}${attacker.token}${json}${transferEncoding}\r\n\r\n${chunks(fine)}${attacker.hidden()}`
  const encodings = [
    'Transfer-Encoding: chunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: identity, chunked',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: cow',
    'Transfer-Encoding: "chunked"',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding:\r\n chunked',
    'X: y\nTransfer-Encoding: chunked',
    ' Transfer-Encoding: chunked',
    'Transfer_Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: \x0bchunked',
    'Transfer-Encoding: chunked\x00',
    'Transfer-Encoding\x00: chunked',
  ]
  for (const encoding of encodings)
    test(`a length and ${JSON.stringify(encoding)}`, () =>
      attacker.expectNoEffect(both(encoding), [400, closed]))
  for (const encoding of encodings.filter(
    (one) => !/^Transfer(_Encoding: chunked\r\nTransfer)?-Encoding:[\t ]chunked$/.test(one),
  ))
    test(`${JSON.stringify(encoding)} alone`, () => attacker.expectNoEffect(alone(encoding), [400, closed]))

  const lengths = [
    'Content-Length: 2\r\nContent-Length: 2',
    'Content-Length: 2\r\nContent-Length: 40',
    'Content-Length: 2, 2',
    'Content-Length: +2',
    'Content-Length: -2',
    'Content-Length: 0x2',
    'Content-Length: 2 2',
    'Content-Length: 2.0',
    'Content-Length: 99999999999999999999',
    'Content-Length : 2',
    'Content-Length:',
    'Content-Length: \u0662',
  ]
  for (const one of lengths)
    test(`${JSON.stringify(one)}`, () =>
      attacker.expectNoEffect(Buffer.from(attacker.post(`${one}\r\n`, `{}${attacker.hidden()}`)), [
        400,
        closed,
      ]))

  const broken: [string, string][] = [
    ['a chunk of no number', `zz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk of a negative number', `-2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk with 0x before its number', `0x2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk of 2^64 bytes', `10000000000000002\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', `2\r\n{}{}\r\n0\r\n\r\n`],
    ['a chunk that ends with a bare LF', `2\n{}\n0\n\n`],
    ['a chunk whose number ends with a bare CR', `2\r{}\r\n0\r\n\r\n`],
    ['an extension with a bare LF', `2;a=b\n{}\r\n0\r\n\r\n`],
    ['no last chunk', `2\r\n{}\r\n`],
    ['20,000 bytes of extension', chunks('{}', `;${'a'.repeat(20_000)}`)],
    ['20,000 bytes of trailers', chunks('{}', '', `X: ${'a'.repeat(20_000)}\r\n`)],
  ]
  for (const [what, body] of broken)
    test(what, () =>
      attacker.expectNoEffect(attacker.post('Transfer-Encoding: chunked\r\n', body), [
        400,
        408,
        413,
        431,
        closed,
      ]),
    )
})

suite('several requests on one connection', () => {
  test('are answered in order', async () => {
    const ask = (at: string, more = '') => attacker.get(more, `GET ${at} HTTP/1.1`)
    const answers = await attacker.send(
      ask(path) + ask('/api/v1/nowhere') + ask(path) + ask('/health', close),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 200, 200],
    )
  })

  test('a hundred at once get a response each', async () => {
    const answers = await attacker.send(attacker.get().repeat(99) + attacker.get(close))
    assert.equal(answers.length, 100)
    assert.ok(answers.every(({ status }) => status === 200))
  })

  test('an invalid request after a valid one does not affect its response', async () => {
    const answers = await attacker.send(`${attacker.get()}GARBAGE\r\n\r\n${attacker.get(close)}`)
    assert.ok(answers.length <= 2)
    if (answers[0]) assert.equal(answers[0].status, 200, answers[0].text)
    if (answers[1]) expectProblem(answers[1], 400, 'bad-request')
  })

  test('requests after one with rejected headers are not read', async () => {
    const answers = await attacker.send(attacker.get('Host: y\r\n') + attacker.get(close))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
    )
  })
})

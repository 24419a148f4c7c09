import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/spaces'
const json = 'application/json'
const post = (body: string | Uint8Array<ArrayBuffer>, type: string | null = json, headers = {}) =>
  owner.send('POST', path, { body, headers: { ...(type !== null && { 'content-type': type }), ...headers } })

suite('bodies: happy', () => {
  test('accepts JSON in UTF-8, with or without a charset, in any member order', async () => {
    for (const type of [json, 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
      assert.equal(
        expectStatus(await post('{"city":"Évora","name":"日本 🏠"}', type), 201).space.name,
        '日本 🏠',
      )
  })

  test('accepts white space, a byte order mark and escapes', async () => {
    const body = Buffer.from('\ufeff \r\n\t{ "name" : "\\u0041\\ud83c\\udfe0\\n" , "city":null}')
    assert.equal(expectStatus(await post(body), 201).space.name, 'A🏠')
  })

  test('accepts every JSON notation of numbers', async () => {
    const space = expectStatus(await post('{"name":"n"}'), 201).space.id
    const body = `{"name":"n","space_id":"${space}","base_price_cents":1.2E3,"bedrooms":2.0,"max_guests":4}`
    const reply = await owner.send('POST', '/api/v1/units', { body, headers: { 'content-type': json } })
    const { unit } = expectStatus(reply, 201)
    assert.deepEqual([unit.base_price_cents, unit.bedrooms], [1_200, 2])
  })

  test('accepts a body of just under 1 MiB', async () => {
    const filler = ' '.repeat(1_048_576 - 12)
    expectStatus(await post(`{"name":"n"}${filler}`), 201)
  })

  test('accepts DELETE and POST without a body but with the content type JSON', async () => {
    const { id } = expectStatus(await post('{"name":"n"}'), 201).space
    const headers = { 'content-type': json }
    expectStatus(await owner.send('DELETE', `${path}/${id}`, { headers }), 204)
  })
})

suite('bodies: error', () => {
  test('an operation that takes none rejects one with members, and has no effect', async () => {
    const { id } = expectStatus(await post('{"name":"n"}'), 201).space
    const send = (body: string) =>
      owner.send('DELETE', `${path}/${id}`, { body, headers: { 'content-type': json } })
    for (const body of ['{"force":false}', '["n"]', '"n"'])
      expectProblem(await send(body), 400, 'validation-error')
    expectStatus(await owner.get(`${path}/${id}`), 200)
    expectStatus(await send('{}'), 204)
  })

  const malformed: [string, string | Uint8Array<ArrayBuffer>][] = [
    ['half an object', '{"name":'],
    ['two values', '{"name":"n"}{}'],
    ['a trailing comma', '{"name":"n",}'],
    ['a comment', '{"name":"n"} // space'],
    ['single quotes', "{'name':'n'}"],
    ['a bare word', 'name'],
    ['NaN', '{"name":NaN}'],
    ['a form', 'name=n'],
    ['a raw line break in a text', '{"name":"a\nb"}'],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, 0x22, 0x7d])],
    ['an overlong encoding', Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, 0x22, 0x7d])],
    ['UTF-16', Buffer.from('{"name":"n"}', 'utf16le')],
    ['a compressed body that does not say so', new Uint8Array(gzipSync('{"name":"n"}'))],
    ['U+0000 in a text', '{"name":"a\\u0000b"}'],
    ['U+0000 in a key', '{"na\\u0000me":"n"}'],
    ['half a surrogate pair in a text', '{"name":"\\ud83c"}'],
    ['the other half in a key', '{"\\udfe0":"n"}'],
    ['a turned pair in a nested list', '{"name":"n","amenities":["\\udfe0\\ud83c"]}'],
    ['a number beyond all numbers', '{"name":"n","zip":1e400}'],
    ['a negative number beyond all numbers', '{"name":-1e400}'],
    ['__proto__', '{"__proto__":{"name":"n"}}'],
    ['__proto__ inside', '{"name":"n","amenities":[{"__proto__":1}]}'],
    ['10,000 lists', `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['10,000 lists that never end', '['.repeat(10_000)],
    ['half a million elements', `{"name":[${'0,'.repeat(500_000)}0]}`],
  ]
  for (const [what, body] of malformed)
    test(`${what}: 400`, async () => expectProblem(await post(body), 400, 'malformed-json'))

  const shapeless: [string, string][] = [
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[{"name":"n"}]'],
    ['a text', '"n"'],
    ['a number', '1'],
    ['true', 'true'],
    ['no name', '{}'],
    ['constructor', '{"name":"n","constructor":{"prototype":{}}}'],
    ['31 levels', `{"name":"n","city":${'['.repeat(31)}${']'.repeat(31)}}`],
  ]
  for (const [what, body] of shapeless)
    test(`${what} is JSON, but not a space: 400`, async () =>
      expectProblem(await post(body), 400, 'validation-error'))

  for (const type of [
    null,
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    'application/jsonx',
    'application',
    '*/*',
    'application/json, text/plain',
  ])
    test(`a body of type ${type}: 415`, async () => {
      const bytes = new Uint8Array(Buffer.from('{"name":"n"}'))
      expectProblem(await post(bytes, type), 415, 'unsupported-media-type')
    })

  test('an encoded body: 415', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity'])
      expectProblem(
        await post(new Uint8Array(gzipSync('{"name":"n"}')), json, { 'content-encoding': encoding }),
        415,
        'unsupported-media-type',
      )
    expectStatus(await post('{"name":"n"}', json, { 'content-encoding': 'identity' }), 201)
  })

  test('one byte more than 1 MiB: 413', async () => {
    const filler = ' '.repeat(1_048_576 - 11)
    expectProblem(await post(`{"name":"n"}${filler}`), 413, 'payload-too-large')
  })

  test('the response to a thousand unknown members with long names is short', async () => {
    const members = Array.from({ length: 999 }, (_, at) => [`${at}${'x'.repeat(900)}`, 1])
    const reply = await post(JSON.stringify({ name: 'n', ...Object.fromEntries(members) }))
    expectProblem(reply, 400, 'validation-error')
    assert.ok(reply.body.errors.length <= 50)
    assert.ok(reply.text.length < 50_000, `${reply.text.length} characters`)
  })
})

suite('bodies: security', () => {
  test('checks the permission before the body', async () => {
    const anonymous = world.caller(null)
    const init = { body: '{"name":', headers: { 'content-type': json } }
    expectProblem(await anonymous.send('POST', path, init), 401, 'unauthorized')
    expectProblem(await (await world.home.as('viewer')).send('POST', path, init), 403, 'forbidden')
  })

  test('an error response is never rendered as a page', async () => {
    const reply = await post('{"name":"<script>alert(1)</script>" nonsense}')
    expectProblem(reply, 400, 'malformed-json')
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
  })

  test('the prototype of Object is unchanged', async () => {
    await post('{"constructor":{"prototype":{"polluted":1}},"name":"n"}')
    await owner.get(`${path}?__proto__[polluted]=1&constructor.prototype.polluted=1`)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })
})

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { ConfigError, readConfig } from '#config/config.ts'
import type { TestCaller } from '../caller.ts'
import { expectProblem, expectStatus } from '../expect.ts'
import { addSpace } from '../records.ts'
import { addMedia } from '../uploads.ts'
import { shareWorld } from '../share-world.ts'
import { openWorld } from '../world.ts'
import { sendBytes } from './raw-answers.ts'

const friend = 'https://friend.example'
const { world, owner } = shareWorld({ env: { PUBLIC_URL: 'https://stay.example', CORS_ORIGINS: friend } })
let photo: string

before(async () => (photo = new URL((await addMedia(owner, (await addSpace(owner)).id)).url).pathname))

suite('headers of every response', () => {
  const answers: [string, () => Promise<Awaited<ReturnType<TestCaller['get']>>>, number][] = [
    ['a list', () => owner.get('/api/v1/spaces'), 200],
    ['a list whose path is spelled in another way', () => owner.get('/%61pi/v1/spaces'), 200],
    ['a new record', () => owner.post('/api/v1/spaces', { name: 'A' }), 201],
    ['a refusal', () => owner.post('/api/v1/spaces', {}), 400],
    ['no token', () => world.caller(null).get('/api/v1/spaces'), 401],
    ['nothing there', () => owner.get('/api/v1/nowhere'), 404],
    ['another method', () => owner.send('PUT', '/api/v1/spaces', {}), 405],
    ['health', () => owner.get('/health'), 200],
    ['figures', () => owner.get('/metrics'), 200],
    ['the contract', () => owner.get('/api/v1/openapi.json'), 200],
    ['the reference', () => owner.get('/docs/reference'), 200],
    ['a script of the reference', () => owner.get('/docs/reference.js'), 200],
    ['a style of the reference', () => owner.get('/docs/assets/swagger-ui.css'), 200],
    ['the page of a problem', () => owner.get('/problems/forbidden'), 200],
    ['a template', () => owner.get('/api/v1/notification-templates/preview?kind=sync.failed'), 200],
    ['a file', () => owner.get(photo), 200],
    ['the configuration of the console', () => owner.get('/console.json'), 200],
  ]
  for (const [what, ask, status] of answers)
    test(`${what} has the security headers and names no software`, async () => {
      const { headers, ...reply } = await ask()
      assert.equal(reply.status, status, reply.text)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src '(self|none)'/)
      assert.match(policy, /frame-ancestors '(self|none)'|default-src 'none'; sandbox/)
      assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*/)
      for (const name of ['server', 'x-powered-by', 'via']) assert.equal(headers.get(name), null, name)
      assert.equal(headers.get('access-control-allow-origin'), null)
    })

  test('private responses are not cached by proxies, public ones may be', async () => {
    for (const path of [
      '/api/v1/spaces',
      '/%61pi/v1/spaces',
      '/api/v1/session',
      '/api/v1/nowhere',
      '/health',
    ])
      assert.equal((await owner.get(path)).headers.get('cache-control'), 'no-store', path)
    assert.match((await owner.get(photo)).headers.get('cache-control')!, /^public, .*immutable$/)
  })

  test('the response to an invalid request has them too', async () => {
    const [answer] = await sendBytes(world.url, 'GARBAGE\r\n\r\n')
    expectProblem(answer!, 400, 'bad-request')
    assert.equal(answer!.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer!.headers.get('cache-control'), 'no-store')
  })

  test('no HSTS without https', async () => {
    await using plain = await openWorld()
    const { headers } = await plain.caller(null).get('/health')
    assert.equal(headers.get('strict-transport-security'), null)
    assert.equal(headers.get('access-control-allow-origin'), null)
  })
})

suite('browsers of other origins', () => {
  const preflight = (origin: string) =>
    owner.send('OPTIONS', '/api/v1/spaces', {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    })

  test('may call when they are listed, and send no cookies', async () => {
    const asked = await preflight(friend)
    assert.ok([200, 204].includes(asked.status), asked.text)
    const answers = [asked, await owner.get('/api/v1/spaces', { origin: friend })]
    for (const { headers } of answers) {
      assert.equal(headers.get('access-control-allow-origin'), friend)
      assert.equal(headers.get('access-control-allow-credentials'), null)
      assert.match(headers.get('vary') ?? '', /origin/i)
    }
    expectStatus(answers[1]!, 200)
  })

  for (const origin of [
    'https://evil.example',
    'http://friend.example',
    'https://friend.example.evil.example',
    'https://evil-friend.example',
    'https://friend.example:8443',
    'https://FRIEND.example',
    'null',
    '*',
  ])
    test(`${origin} is not allowed`, async () => {
      for (const { headers } of [await preflight(origin), await owner.get('/api/v1/spaces', { origin })])
        assert.equal(headers.get('access-control-allow-origin'), null)
    })

  for (const origins of [
    '*',
    'null',
    'friend.example',
    'https://friend.example/',
    'https://*.friend.example',
  ])
    test(`CORS_ORIGINS=${origins} does not start`, () => {
      assert.throws(
        () => readConfig({ CORS_ORIGINS: origins }),
        (error: unknown) =>
          error instanceof ConfigError && error.faults.some((fault) => /CORS_ORIGINS/.test(fault)),
      )
    })
})

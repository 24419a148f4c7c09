import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { Signing } from '../../../sandbox/src/identity/issuer.ts'
import { startIssuer, type Issuer } from '../../../sandbox/src/identity/issuer.ts'
import { expectProblem } from '../expect.ts'
import { sendRaw } from '../wire.ts'
import { shareWorld } from '../share-world.ts'

/**
 * Forged tokens in requests to the API. Each claim and header by itself is tested in
 * integrations/identity/oidc-identity.test.ts, keys and their ages in provider-keys.test.ts.
 */

const { world } = shareWorld()
let attacker: Issuer
let claims: Record<string, unknown>
before(async () => {
  attacker = await startIssuer()
  claims = {
    sub: 'ana',
    org_id: world.home.id,
    account_id: world.home.accountId,
    role: 'owner',
    email: 'ana@home.example',
  }
  world.defer(() => attacker.close())
})

const now = () => Math.floor(Date.now() / 1_000)
const good = (more: object = {}, signing: Signing = {}) => world.issuer.sign({ ...claims, ...more }, signing)
/** Signed with a key of the attacker, with our issuer. */
const forged = (more: object = {}, signing: Signing = {}) =>
  attacker.sign({ ...claims, iss: world.issuer.issuer, ...more }, { kid: 'test-1', ...signing })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as object
const withHeader = async (header: object) => {
  const [head, ...rest] = (await good()).split('.')
  return [part({ ...decoded(head!), ...header }), ...rest].join('.')
}
const withClaims = async (more: object) => {
  const [head, body, signature] = (await good()).split('.')
  return [head, part({ ...decoded(body!), ...more }), signature].join('.')
}

const session = (token: string) =>
  world.caller(null).get('/api/v1/auth/session', { authorization: `Bearer ${token}` })

suite('forged tokens', () => {
  const forgeries: [string, () => Promise<string>][] = [
    ['alg none', () => good({}, { alg: 'none' })],
    ...['None', 'NONE', 'nOnE', '', null].map((alg): [string, () => Promise<string>] => [
      `alg ${alg}`,
      () => withHeader({ alg }),
    ]),
    ['HS256 with the public key', () => good({}, { alg: 'HS256' })],
    ['a key of the attacker', () => forged()],
    ['with its public key along', async () => forged({}, { header: { jwk: await firstKey(attacker) } })],
    ['with where its keys are', () => forged({}, { header: { jku: `${attacker.issuer}/jwks` } })],
    ['with where its certificate is', () => forged({}, { header: { x5u: `${attacker.issuer}/jwks` } })],
    ['with a certificate', () => forged({}, { header: { x5c: ['MIIB'] } })],
    ['of the issuer of the attacker', () => attacker.sign(claims)],
    ['with two issuers', () => good({ iss: [world.issuer.issuer, attacker.issuer] })],
    ...[
      '../../../dev/null',
      '/dev/null',
      "' or 1=1 --",
      '__proto__',
      'constructor',
      '',
      'x'.repeat(2_000),
    ].map((kid): [string, () => Promise<string>] => [
      `kid ${kid.slice(0, 20)}`,
      () => forged({}, { header: { kid } }),
    ]),
    ['an unknown critical header', () => withHeader({ crit: ['exp'], exp: 1 })],
    ['unencoded payload', () => withHeader({ b64: false, crit: ['b64'] })],
    ['compressed', () => withHeader({ zip: 'DEF' })],
    ['another role', () => withClaims({ role: 'admin' })],
    ['another organization', () => withClaims({ org_id: world.away.id })],
    ['for somebody else', () => good({ aud: 'https://else.example' })],
    [
      'for a client, as an ID token is',
      () => good({ aud: 'console', azp: 'console', nonce: 'n' }, { typ: 'JWT' }),
    ],
    ['an ID token with our audience', () => good({ nonce: 'n', azp: 'console' }, { typ: 'JWT' })],
    ['of another type', () => good({}, { typ: 'dpop+jwt' })],
    ['expired', () => good({ iat: now() - 600, exp: now() - 61 })],
    ['not yet good', () => good({ nbf: now() + 120 })],
    ['without a subject', () => good({ sub: undefined })],
    ['that never ends', () => good({ exp: now() + 10 * 365 * 86_400 })],
    ['of an unknown key', () => good({}, { header: { kid: 'test-99' } })],
    ['of 8 KiB and more', () => good({ pad: 'x'.repeat(7_000) })],
  ]
  for (const [what, make] of forgeries)
    test(`${what}: 401, and nothing of it comes back`, async () => {
      const token = await make()
      const reply = await session(token)
      expectProblem(reply, 401, 'unauthorized')
      assert.match(reply.headers.get('www-authenticate')!, /^Bearer/)
      for (const piece of token.split('.').filter((one) => one.length > 20))
        assert.ok(!reply.text.includes(piece), 'the token comes back')
    })

  test('and the good one is let in', async () => {
    assert.equal((await session(await good())).status, 200)
  })

  const firstKey = async (issuer: Issuer) =>
    ((await (await fetch(`${issuer.issuer}/jwks`)).json()) as { keys: object[] }).keys[0]!
})

suite('other ways to bring a token', () => {
  const places: [string, (token: string) => [string, Record<string, string>]][] = [
    ['in the query', (token) => [`?access_token=${token}`, {}]],
    [
      'in the query, as another',
      (token) => [`?token=${token}&bearer=${token}&authorization=Bearer%20${token}`, {}],
    ],
    ['in a cookie', (token) => ['', { cookie: `access_token=${token}; token=${token}` }]],
    ['as that of a proxy', (token) => ['', { 'proxy-authorization': `Bearer ${token}` }]],
    [
      'in a header of its own',
      (token) => ['', { 'x-access-token': token, 'x-auth-token': token, 'x-token': token }],
    ],
    ['with another scheme', (token) => ['', { authorization: `Token ${token}` }]],
    ['as a name and a password', (token) => ['', { authorization: `Basic ${btoa(`bearer:${token}`)}` }]],
    ['without a scheme', (token) => ['', { authorization: token }]],
    ['with the scheme twice', (token) => ['', { authorization: `Bearer Bearer ${token}` }]],
    ['behind another', (token) => ['', { authorization: `Basic eA==, Bearer ${token}` }]],
    ['before another', (token) => ['', { authorization: `Bearer ${token}, Basic eA==` }]],
    ['in quotes', (token) => ['', { authorization: `Bearer "${token}"` }]],
    ['after a tab', (token) => ['', { authorization: `Bearer\t${token}` }]],
    ['with no space', (token) => ['', { authorization: `Bearer${token}` }]],
    [
      'with a space in it',
      (token) => ['', { authorization: `Bearer ${token.slice(0, 9)} ${token.slice(9)}` }],
    ],
    ['with an equals sign', (token) => ['', { authorization: `Bearer ${token}=` }]],
    ['with a dot more', (token) => ['', { authorization: `Bearer ${token}.` }]],
  ]
  for (const [what, put] of places)
    test(`${what}: 401`, async () => {
      const [query, headers] = put(await good())
      const reply = await world.caller(null).get(`/api/v1/auth/session${query}`, headers)
      expectProblem(reply, 401, 'unauthorized')
    })

  test('two headers are one too many, whichever is good', async () => {
    const token = await good()
    for (const pair of [
      [token, 'bad'],
      ['bad', token],
      [token, token],
    ]) {
      const lines = pair.map((one) => `Authorization: Bearer ${one}`).join('\r\n')
      const bytes = `GET /api/v1/auth/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n`
      const { status } = await sendRaw(world.url, bytes)
      assert.ok([400, 401].includes(status), `${status}`)
    }
  })

  test('a header that goes on in the next line is none', async () => {
    const token = await good()
    const bytes = `GET /api/v1/auth/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer\r\n ${token}\r\n\r\n`
    const { status } = await sendRaw(world.url, bytes)
    assert.ok([400, 401].includes(status), `${status}`)
  })
})

suite('tokens that were good', () => {
  test('signed out, one is dead in whatever spelling, and its like of the same moment is not', async () => {
    const [one, other] = [await good({ jti: 'one' }), await good({ jti: 'two' })]
    const authorization = `Bearer ${one}`
    assert.equal(
      (await world.caller(null).post('/api/v1/auth/logout', undefined, { authorization })).status,
      200,
    )
    for (const spelling of [`Bearer ${one}`, `bearer ${one}`, `BEARER   ${one}`])
      assert.equal(
        (await world.caller(null).get('/api/v1/auth/session', { authorization: spelling })).status,
        401,
      )
    assert.equal((await session(other)).status, 200)
  })

  test('a token that one key signed is not accepted with the signature of another', async () => {
    const payload = { ...claims, jti: 'same', iat: now(), exp: now() + 60 }
    assert.equal((await session(await world.issuer.sign(payload))).status, 200)
    assert.equal(
      (await session(await attacker.sign({ ...payload, iss: world.issuer.issuer }, { kid: 'test-1' })))
        .status,
      401,
    )
  })
})

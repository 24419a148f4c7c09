import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { startIssuer, type Issuer, type Signing } from '../../../../sandbox/src/identity/issuer.ts'
import { claimSettings } from '#test/claim-settings.ts'
import { InvalidToken } from './identity.ts'
import { oidcIdentity, type OidcOptions } from './oidc-identity.ts'

let issuer: Issuer
before(async () => (issuer = await startIssuer()))
after(() => issuer.close())

const identityWith = (options: Partial<OidcOptions> = {}) =>
  oidcIdentity({
    issuer: issuer.issuer,
    audience: issuer.audience,
    leewaySeconds: 30,
    requireAccessTokenType: false,
    ...claimSettings(),
    ...options,
  })
const now = () => Math.floor(Date.now() / 1_000)
const signed = (claims: object = {}, signing: Signing = {}) => issuer.sign({ sub: 'ana', ...claims }, signing)
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The token with one of its three parts replaced. */
const altered = async (index: number, change: (part: string) => string) => {
  const parts = (await signed({ role: 'viewer' })).split('.')
  parts[index] = change(parts[index]!)
  return parts.join('.')
}

suite('accepted tokens', () => {
  test('a claim that is not text counts as absent', async () => {
    const { verify } = identityWith()
    const claims = await verify(
      await signed({
        email: 'ana@x.example',
        org_id: 7,
        role: 'owner',
        name: 'a\0b',
        permissions: ['a:read', 1],
      }),
    )
    const { acceptedUntil, ...rest } = claims
    assert.ok(acceptedUntil.getTime() > Date.now())
    assert.deepEqual(rest, {
      issuer: issuer.issuer,
      subject: 'ana',
      email: 'ana@x.example',
      isEmailVerified: false,
      name: null,
      organizations: [],
      accountId: null,
      roles: [{ name: 'owner', organizations: null }],
      permissions: ['a:read'],
      scopes: [],
      isMachine: false,
    })
  })

  test('an e-mail address is verified only when the claim is the boolean true', async () => {
    const { verify } = identityWith()
    for (const email_verified of [undefined, false, null, 'true', 'yes', 1, [true], { value: true }])
      assert.equal(
        (await verify(await signed({ email: 'a@b.example', email_verified }))).isEmailVerified,
        false,
      )
    assert.equal((await verify(await signed({ email_verified: true }))).isEmailVerified, true)
  })

  test('a permissions claim that is not a list limits the permissions as well', async () => {
    const { verify } = identityWith()
    for (const claims of [{}, { permissions: [] }])
      assert.equal((await verify(await signed(claims))).permissions, null)
    for (const [permissions, read] of [
      ['spaces:read', ['spaces:read']],
      ['spaces:read units:read', ['spaces:read', 'units:read']],
      [null, []],
      [{ all: true }, []],
      [['spaces:read', 1], ['spaces:read']],
    ])
      assert.deepEqual((await verify(await signed({ permissions }))).permissions, read)
  })

  const accepted: [string, () => Promise<string>][] = [
    ['of type at+jwt', () => signed({}, { typ: 'at+jwt' })],
    ['of type application/at+jwt in any case', () => signed({}, { typ: 'Application/AT+JWT' })],
    ['of type JWT', () => signed({}, { typ: 'JWT' })],
    ['without a type', () => signed({}, { header: { typ: undefined } })],
    ['signed with ES256', () => signed({}, { kid: issuer.addKey('ES256'), alg: 'ES256' })],
    ['with our audience among several', () => signed({ aud: ['else', 'https://api.vacancy.local'] })],
    ['that expired within the leeway', () => signed({ iat: now() - 600, exp: now() - 10 })],
    ['issued in the future within the leeway', () => signed({ iat: now() + 10, nbf: now() + 10 })],
    ['with an unverified e-mail address', () => signed({ email: 'a@b.example', email_verified: false })],
  ]
  for (const [what, token] of accepted)
    test(what, async () => {
      assert.equal((await identityWith().verify(await token())).subject, 'ana')
    })
})

suite('rejected tokens', () => {
  const refused: [string, () => Promise<string>][] = [
    ['no signature', () => signed({}, { alg: 'none' })],
    ['a header that says none, in capitals', () => altered(0, () => part({ alg: 'NONE' }))],
    ['the public key as an HMAC secret', () => signed({}, { alg: 'HS256' })],
    ['another issuer', () => signed({ iss: 'https://elsewhere.example' })],
    ['an issuer with ours as its prefix', () => signed({ iss: `${issuer.issuer}.example` })],
    ['no issuer', () => signed({ iss: undefined })],
    ['another audience', () => signed({ aud: 'https://elsewhere.example' })],
    ['no audience', () => signed({ aud: undefined })],
    ['expired', () => signed({ iat: now() - 600, exp: now() - 60 })],
    ['no expiry', () => signed({ exp: undefined })],
    ['an expiry that is not a number', () => signed({ exp: String(now() + 300) })],
    ['no subject', () => signed({ sub: undefined })],
    ['an empty subject', () => signed({ sub: '' })],
    ['a subject that is not text', () => signed({ sub: 7 })],
    ['a subject with U+0000', () => signed({ sub: 'ana\0' })],
    ['a subject with half a surrogate pair', () => signed({ sub: 'ana\ud800' })],
    ['a subject of more than 255 characters', () => signed({ sub: 'a'.repeat(256) })],
    ['no time of issue', () => signed({ iat: undefined })],
    ['issued in the future', () => signed({ iat: now() + 120, exp: now() + 300 })],
    ['valid only later', () => signed({ nbf: now() + 120 })],
    ['a lifetime of more than 24 hours', () => signed({ exp: now() + 86_500 })],
    [
      'a lifetime of more than 24 hours, issued long ago',
      () => signed({ iat: now() - 86_400, exp: now() + 300 }),
    ],
    ['an infinite lifetime', () => altered(1, (text) => withoutExpiry(text))],
    ['an ID token with a nonce', () => signed({ nonce: 'n' }, { typ: 'JWT' })],
    ['an ID token with a hash of its access token', () => signed({ at_hash: 'h' }, { typ: 'JWT' })],
    ['a logout token', () => signed({ events: {} }, { typ: 'logout+jwt' })],
    ['a logout token that calls itself JWT', () => signed({ events: {} }, { typ: 'JWT' })],
    ['the kid of another key', () => signed({}, { kid: 'test-1', header: { kid: issuer.addKey() } })],
    ['an unknown kid', () => signed({}, { header: { kid: '../../etc/passwd' } })],
    ['a kid that is not text', () => signed({}, { header: { kid: 7 } })],
    ['an unknown critical header', () => altered(0, (text) => part({ ...decoded(text), crit: ['x'], x: 1 }))],
    ['an altered payload', () => altered(1, (text) => text.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')))],
    ['a payload with another role', () => altered(1, (text) => withRoleOwner(text))],
    ['an altered signature', () => altered(2, (text) => (text[0] === 'A' ? 'B' : 'A') + text.slice(1))],
    ['an empty signature', () => altered(2, () => '')],
    ['a header that is not JSON', () => altered(0, () => 'bm90IGpzb24')],
    ['a header that is a list', () => altered(0, () => part([]))],
    ['a header that is not base64', () => altered(0, () => '****')],
    ['a payload that is a list', () => altered(1, () => part(['sub', 'exp']))],
    ['one part', async () => 'token'],
    ['five parts, as an encrypted token has', async () => `${await signed()}.a.b`],
    ['a megabyte', () => altered(1, (text) => text.repeat(5_000))],
    ['nothing', async () => ''],
  ]
  for (const [what, make] of refused)
    test(what, async () => {
      await assert.rejects(identityWith().verify(await make()), InvalidToken)
    })

  test('the type JWT, or none, where the type at+jwt is required', async () => {
    const { verify } = identityWith({ requireAccessTokenType: true })
    await verify(await signed())
    for (const typ of ['JWT', undefined])
      await assert.rejects(verify(await signed({}, { header: { typ } })), InvalidToken)
  })

  test('a key in the token, or at an address in it, is neither used nor fetched', async () => {
    const attacker = await startIssuer()
    let visits = 0
    const trap = createServer((_request, response) => (visits++, response.end('{}')))
    await new Promise<void>((listening) => trap.listen(0, '127.0.0.1', listening))
    const { port } = trap.address() as { port: number }
    try {
      const { jwks_uri } = (await (
        await fetch(`${attacker.issuer}/.well-known/openid-configuration`)
      ).json()) as {
        jwks_uri: string
      }
      const { keys } = (await (await fetch(jwks_uri)).json()) as { keys: object[] }
      const address = `http://127.0.0.1:${port}/keys`
      for (const header of [{ jwk: keys[0] }, { jku: address }, { x5u: address }, { x5c: ['AAAA'] }]) {
        const token = await attacker.sign(
          { sub: 'ana', iss: issuer.issuer },
          { header: { ...header, kid: 'test-1' } },
        )
        await assert.rejects(identityWith().verify(token), InvalidToken)
      }
      assert.equal(visits, 0)
    } finally {
      trap.close()
      await attacker.close()
    }
  })
})

const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as object
const withRoleOwner = (text: string) => part({ ...decoded(text), role: 'owner' })
const withoutExpiry = (text: string) =>
  Buffer.from(JSON.stringify({ ...decoded(text), exp: 0 }).replace('"exp":0', '"exp":1e999')).toString(
    'base64url',
  )

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { startIssuer, type Issuer, type Signing } from '../../../../sandbox/src/issuer.ts'
import { TokenRefused } from './identity.ts'
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

suite('tokens that are accepted', () => {
  test('claims that the issuer calls otherwise are read by their names', async () => {
    const claimNames = {
      orgId: 'https://pms.example/org',
      accountId: 'tenant_account',
      role: 'https://pms.example/role',
      permissions: 'scopes',
    }
    const token = await signed({
      [claimNames.orgId]: 'org-1',
      [claimNames.accountId]: 'account-1',
      [claimNames.role]: 'manager',
      [claimNames.permissions]: ['a:read'],
      org_id: 'another',
      role: 'owner',
    })
    const { orgId, accountId, role, permissions } = await identityWith({ claimNames }).verify(token)
    assert.deepEqual([orgId, accountId, role, permissions], ['org-1', 'account-1', 'manager', ['a:read']])
  })

  test('claims are read, and what is no text counts as absent', async () => {
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
    const { expiresAt, ...rest } = claims
    assert.ok(expiresAt.getTime() > Date.now())
    assert.deepEqual(rest, {
      issuer: issuer.issuer,
      subject: 'ana',
      email: 'ana@x.example',
      isEmailVerified: false,
      name: null,
      orgId: null,
      accountId: null,
      role: 'owner',
      permissions: ['a:read'],
    })
  })

  test('an e-mail address is verified when the provider says true, and by nothing like it', async () => {
    const { verify } = identityWith()
    for (const email_verified of [undefined, false, null, 'true', 'yes', 1, [true], { value: true }])
      assert.equal(
        (await verify(await signed({ email: 'a@b.example', email_verified }))).isEmailVerified,
        false,
      )
    assert.equal((await verify(await signed({ email_verified: true }))).isEmailVerified, true)
  })

  test('a permissions claim of another form limits all the same', async () => {
    const { verify } = identityWith()
    assert.equal((await verify(await signed())).permissions, null)
    for (const [permissions, read] of [
      ['spaces:read', ['spaces:read']],
      [null, []],
      [{ all: true }, []],
      [[], []],
    ])
      assert.deepEqual((await verify(await signed({ permissions }))).permissions, read)
  })

  const accepted: [string, object, Signing][] = [
    ['of type at+jwt', {}, { typ: 'at+jwt' }],
    ['of type application/at+jwt in any case', {}, { typ: 'Application/AT+JWT' }],
    ['of type JWT', {}, { typ: 'JWT' }],
    ['without a type', {}, { header: { typ: undefined } }],
    ['signed with ES256', {}, { alg: 'ES256' }],
    ['with our audience among several', { aud: ['else', 'https://api.vacancy.local'] }, {}],
    ['that expired within the leeway', { iat: now() - 600, exp: now() - 10 }, {}],
    ['issued in the future within the leeway', { iat: now() + 10, nbf: now() + 10 }, {}],
    ['that says its e-mail address is unverified', { email: 'a@b.example', email_verified: false }, {}],
  ]
  for (const [what, claims, signing] of accepted)
    test(what, async () => {
      if (signing.alg === 'ES256') issuer.addKey('ES256')
      assert.equal((await identityWith().verify(await signed(claims, signing))).subject, 'ana')
    })
})

suite('tokens that are refused', () => {
  const refused: [string, () => Promise<string>][] = [
    ['no signature', () => signed({}, { alg: 'none' })],
    ['a header that says none, in capitals', () => altered(0, () => part({ alg: 'NONE' }))],
    ['the public key as an HMAC secret', () => signed({}, { alg: 'HS256' })],
    ['another issuer', () => signed({ iss: 'https://elsewhere.example' })],
    ['an issuer that begins like ours', () => signed({ iss: `${issuer.issuer}.example` })],
    ['no issuer', () => signed({ iss: undefined })],
    ['another audience', () => signed({ aud: 'https://elsewhere.example' })],
    ['no audience', () => signed({ aud: undefined })],
    ['expired', () => signed({ iat: now() - 600, exp: now() - 60 })],
    ['no expiry', () => signed({ exp: undefined })],
    ['an expiry that is no number', () => signed({ exp: String(now() + 300) })],
    ['no subject', () => signed({ sub: undefined })],
    ['an empty subject', () => signed({ sub: '' })],
    ['a subject that is no text', () => signed({ sub: 7 })],
    ['a subject with U+0000', () => signed({ sub: 'ana\0' })],
    ['a subject with half a surrogate pair', () => signed({ sub: 'ana\ud800' })],
    ['a subject too long to keep', () => signed({ sub: 'a'.repeat(256) })],
    ['no time of issue', () => signed({ iat: undefined })],
    ['issued in the future', () => signed({ iat: now() + 120, exp: now() + 300 })],
    ['valid only later', () => signed({ nbf: now() + 120 })],
    ['a life of more than 24 hours', () => signed({ exp: now() + 86_500 })],
    ['a life of more than 24 hours, begun long ago', () => signed({ iat: now() - 86_400, exp: now() + 300 })],
    ['a life without end', () => altered(1, (text) => endless(text))],
    ['an ID token with a nonce', () => signed({ nonce: 'n' }, { typ: 'JWT' })],
    ['an ID token with a hash of its access token', () => signed({ at_hash: 'h' }, { typ: 'JWT' })],
    ['a logout token', () => signed({ events: {} }, { typ: 'logout+jwt' })],
    ['a logout token that calls itself JWT', () => signed({ events: {} }, { typ: 'JWT' })],
    ['the kid of another key', () => signed({}, { kid: 'test-1', header: { kid: issuer.addKey() } })],
    ['a kid that nobody has', () => signed({}, { header: { kid: '../../etc/passwd' } })],
    ['a kid that is no text', () => signed({}, { header: { kid: 7 } })],
    [
      'a critical header that we do not know',
      () => altered(0, (text) => part({ ...decoded(text), crit: ['x'], x: 1 })),
    ],
    ['an altered payload', () => altered(1, (text) => text.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')))],
    ['a payload with another role', () => altered(1, (text) => promoted(text))],
    ['an altered signature', () => altered(2, (text) => (text[9] === 'A' ? 'B' : 'A') + text.slice(1))],
    ['an empty signature', () => altered(2, () => '')],
    ['a header that is no JSON', () => altered(0, () => 'bm90IGpzb24')],
    ['a header that is a list', () => altered(0, () => part([]))],
    ['a header that is no base64', () => altered(0, () => '****')],
    ['a payload that is a list', () => altered(1, () => part(['sub', 'exp']))],
    ['one part', async () => 'token'],
    ['five parts, as an encrypted token has', async () => `${await signed()}.a.b`],
    ['a megabyte', () => altered(1, (text) => text.repeat(5_000))],
    ['nothing', async () => ''],
  ]
  for (const [what, make] of refused)
    test(what, async () => {
      await assert.rejects(identityWith().verify(await make()), TokenRefused)
    })

  test('JWT, and no type at all, when access tokens must say so', async () => {
    const { verify } = identityWith({ requireAccessTokenType: true })
    await verify(await signed())
    for (const typ of ['JWT', undefined])
      await assert.rejects(verify(await signed({}, { header: { typ } })), TokenRefused)
  })

  test('a key that the token brings along or points to is neither used nor fetched', async () => {
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
        await assert.rejects(identityWith().verify(token), TokenRefused)
      }
      assert.equal(visits, 0)
    } finally {
      trap.close()
      await attacker.close()
    }
  })
})

const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as object
const promoted = (text: string) => part({ ...decoded(text), role: 'owner' })
const endless = (text: string) =>
  Buffer.from(JSON.stringify({ ...decoded(text), exp: 0 }).replace('"exp":0', '"exp":1e999')).toString(
    'base64url',
  )

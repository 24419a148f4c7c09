import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { guests } from '../../test/guests.ts'
import { startIdentity } from './server.ts'

let identity: Awaited<ReturnType<typeof startIdentity>>
before(async () => (identity = await startIdentity({ people: () => guests })))
after(() => identity.close())

async function ask(fields: Record<string, string>) {
  const given = { client_id: 'vacancy-cli', grant_type: 'urn:vacancy:development', ...fields }
  const res = await fetch(`${identity.issuer}/token`, { method: 'POST', body: new URLSearchParams(given) })
  return { status: res.status, body: (await res.json()) as Record<string, string> }
}

test('gives a token of twelve hours for a role and organization', async () => {
  const { status, body } = await ask({ role: 'owner', org: 'second' })
  assert.equal(status, 200)
  const { access_token = '', ...rest } = body
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 43_200 })
  const keys = createRemoteJWKSet(new URL(`${identity.issuer}/jwks`))
  const expected = { issuer: identity.issuer, audience: 'https://api.vacancy.local', typ: 'at+jwt' }
  const { payload } = await jwtVerify(access_token, keys, expected)
  const { iat = 0, exp = 0, jti, ...claims } = payload
  assert.deepEqual(claims, {
    iss: identity.issuer,
    aud: 'https://api.vacancy.local',
    sub: 'otto',
    client_id: 'vacancy-cli',
    email: 'otto@example.test',
    email_verified: true,
    name: 'Otto',
    org_id: 'org-second',
    account_id: 'account-second',
    role: 'owner',
  })
  assert.equal(exp - iat, 43_200)
  assert.ok(jti)
})

test('uses the first organization by default', async () => {
  const { body } = await ask({ role: 'viewer' })
  const [, payload = ''] = (body.access_token ?? '').split('.')
  assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).sub, 'vera')
})

test('refuses an unknown role, and every client but the command line', async () => {
  const refused = await ask({ role: 'staff"\n<', org: 'first' })
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
  const console = await ask({ role: 'owner', client_id: 'vacancy-console' })
  assert.deepEqual([console.status, console.body.access_token], [400, undefined])
  assert.equal((await ask({ role: 'owner', client_id: 'nobody' })).status, 401)
})

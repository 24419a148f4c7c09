import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { startIdentity } from './server.ts'
import { guests } from '../../test/guests.ts'
import { authorizationAt, unpooled, visit, type Jar } from '../../test/visitor.ts'

const consoleOrigin = 'http://localhost:3000'
const audience = 'https://api.vacancy.local'
type Tokens = {
  access_token: string
  refresh_token: string
  id_token: string
  expires_in: number
  error: string
}

let home: string
let identity: Awaited<ReturnType<typeof startIdentity>>
const start = async () => (identity = await startIdentity({ people: () => guests, consoleOrigin, home }))
before(async () => {
  home = mkdtempSync(join(tmpdir(), 'identity-'))
  await start()
})
after(async () => {
  await identity.close()
  rmSync(home, { recursive: true })
})

describe('the console', () => {
  test('signs in with code and PKCE, refreshes, and gets tokens for the API', async () => {
    const jar: Jar = new Map()
    const tokens = await signIn(jar, 'vera', 'http://localhost:3000')
    const { payload, protectedHeader } = await verify(tokens.access_token)
    assert.equal(protectedHeader.typ, 'at+jwt')
    const { iat, exp, jti, ...claims } = payload
    assert.deepEqual(claims, {
      iss: identity.issuer,
      aud: audience,
      sub: 'vera',
      client_id: 'vacancy-console',
      email: 'vera@example.test',
      email_verified: true,
      name: 'Vera',
      org_id: 'org-first',
      account_id: 'account-first',
      role: 'viewer',
      scope: 'openid profile email',
    })
    assert.equal(Number(exp) - Number(iat), tokens.expires_in)
    assert.ok(jti)
    assert.equal(decodeJwt(tokens.id_token).name, 'Vera')

    const renewed = await refresh(tokens.refresh_token)
    assert.equal(renewed.status, 200)
    assert.equal((await verify(renewed.tokens.access_token)).payload.sub, 'vera')
    assert.notEqual(decodeJwt(renewed.tokens.access_token).jti, jti)
    const again = await refresh(tokens.refresh_token)
    assert.deepEqual([again.status, again.tokens.error], [400, 'invalid_grant'])
  })

  test("accepts localhost and 127.0.0.1 as the console's host, and no other", async () => {
    await signIn(new Map(), 'otto', 'http://127.0.0.1:3000')
    const { res } = await visit(new Map(), authorizeUrl('http://evil.test:3000', 'verifier'))
    assert.equal(res.status, 400)
  })

  test('must use PKCE', async () => {
    const url = authorizeUrl(consoleOrigin, 'verifier').replace(/&code_challenge[^&]*/g, '')
    const { location } = await visit(new Map(), url)
    assert.equal(new URL(location ?? '').searchParams.get('error'), 'invalid_request')
    const tokens = await redeem(
      await codeFor(new Map(), 'vera', consoleOrigin, 'right'),
      consoleOrigin,
      'w'.repeat(43),
    )
    assert.equal(tokens.error, 'invalid_grant')
  })

  test('a second sign-in needs no choice, also with prompt=consent', async () => {
    const jar: Jar = new Map()
    await signIn(jar, 'vera', consoleOrigin)
    for (const more of ['', '&prompt=consent']) {
      const { location } = await visit(jar, authorizeUrl(consoleOrigin, 'verifier') + more)
      assert.match(location ?? '', /^http:\/\/localhost:3000\/callback\?code=/)
    }
  })

  test('its origin may read tokens across origins, another may not', async () => {
    const preflight = await fetch(`${identity.issuer}/token`, {
      method: 'OPTIONS',
      headers: { origin: consoleOrigin, 'access-control-request-method': 'POST' },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), consoleOrigin)
    for (const [origin, allowed] of [
      [consoleOrigin, consoleOrigin],
      ['http://evil.test', null],
    ] as const) {
      const res = await fetch(`${identity.issuer}/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({
          client_id: 'vacancy-console',
          grant_type: 'refresh_token',
          refresh_token: 'x',
        }),
      })
      assert.equal(res.headers.get('access-control-allow-origin'), allowed)
    }
  })

  test('signing out asks nothing, revokes the tokens, and the next sign-in needs a choice', async () => {
    const jar: Jar = new Map()
    const { id_token, refresh_token } = await signIn(jar, 'vera', consoleOrigin)
    const query = new URLSearchParams({
      id_token_hint: id_token,
      post_logout_redirect_uri: `${consoleOrigin}/`,
      state: 's',
    })
    const confirmation = await visit(jar, `${identity.issuer}/session/end?${query}`)
    assert.equal(confirmation.res.status, 200)
    assert.match(confirmation.html, /requestSubmit/)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(confirmation.html)?.[1] ?? ''
    const action = /action="([^"]+)"/.exec(confirmation.html)?.[1] ?? ''
    const done = await visit(jar, action, new URLSearchParams({ xsrf, logout: 'yes' }))
    assert.equal(done.location, `${consoleOrigin}/?state=s`)
    assert.equal((await refresh(refresh_token)).tokens.error, 'invalid_grant')
    const { html } = await visit(jar, authorizeUrl(consoleOrigin, 'verifier'))
    assert.match(html, /name="person"/)
  })
})

describe('the sign-in page', () => {
  test('lists each person once, by organization, with names escaped', async () => {
    const { res, html } = await visit(new Map(), authorizeUrl(consoleOrigin, 'verifier'))
    assert.equal(res.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.deepEqual(
      [...html.matchAll(/<button name="person" value="(\w+)"/g)].map((match) => match[1]),
      ['olivia', 'vera', 'otto'],
    )
    assert.deepEqual(
      [...html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map((match) => match[1]),
      ['Harbour &#38; &#60;Hill&#62;', 'Pine Lodges'],
    )
    assert.match(html, /<html lang="en">/)
    assert.match(html, /name="viewport"/)
  })

  test('refuses an unknown person and an expired sign-in', async () => {
    const jar: Jar = new Map()
    const { url } = await visit(jar, authorizeUrl(consoleOrigin, 'verifier'))
    const stranger = await visit(jar, url, new URLSearchParams({ person: 'stranger' }))
    assert.equal(stranger.res.status, 422)
    const late = await visit(new Map(), url, new URLSearchParams({ person: 'vera' }))
    assert.equal(late.res.status, 400)
    assert.match(late.html, /Start again from the console/)
  })
})

test('tokens, refresh tokens and sessions survive a restart; secrets are for the owner only', async () => {
  const jar: Jar = new Map()
  const tokens = await signIn(jar, 'vera', consoleOrigin)
  const port = Number(new URL(identity.issuer).port)
  await identity.close()
  identity = await startIdentity({ people: () => guests, consoleOrigin, home, port })
  await verify(tokens.access_token)
  assert.equal((await refresh(tokens.refresh_token)).status, 200)
  assert.match((await visit(jar, authorizeUrl(consoleOrigin, 'verifier'))).location ?? '', /code=/)
  for (const file of ['identity-secrets.json', 'identity-records.json']) {
    assert.equal(statSync(join(home, file)).mode & 0o777, 0o600)
  }
  const { keys } = (await (await fetch(`${identity.issuer}/jwks`)).json()) as { keys: { d?: string }[] }
  assert.equal(keys.length, 1)
  assert.equal(keys[0]?.d, undefined)
  assert.ok(readFileSync(join(home, 'identity-secrets.json'), 'utf8').includes('"d":'))
})

const authorizeUrl = (origin: string, verifier: string) => authorizationAt(identity.issuer, origin, verifier)

function verify(token: string) {
  const keys = createRemoteJWKSet(new URL(`${identity.issuer}/jwks`), { headers: unpooled })
  return jwtVerify(token, keys, { issuer: identity.issuer, audience, algorithms: ['RS256'], typ: 'at+jwt' })
}

async function signIn(jar: Jar, who: string, origin: string): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const tokens = await redeem(await codeFor(jar, who, origin, verifier), origin, verifier)
  assert.ok(tokens.access_token, JSON.stringify(tokens))
  return tokens
}

async function codeFor(jar: Jar, who: string, origin: string, verifier: string) {
  const { url } = await visit(jar, authorizeUrl(origin, verifier))
  const { location } = await visit(jar, url, new URLSearchParams({ person: who }))
  assert.ok(location?.startsWith(`${origin}/callback?`), String(location))
  return new URL(location ?? '').searchParams.get('code') ?? ''
}

async function redeem(code: string, origin: string, code_verifier: string): Promise<Tokens> {
  const fields = { grant_type: 'authorization_code', code, code_verifier, redirect_uri: `${origin}/callback` }
  return (await token({ client_id: 'vacancy-console', ...fields })).tokens
}

const refresh = (refresh_token: string) =>
  token({ client_id: 'vacancy-console', grant_type: 'refresh_token', refresh_token })

async function token(fields: Record<string, string>) {
  const res = await fetch(`${identity.issuer}/token`, {
    method: 'POST',
    headers: unpooled,
    body: new URLSearchParams(fields),
  })
  return { status: res.status, tokens: (await res.json()) as Tokens }
}

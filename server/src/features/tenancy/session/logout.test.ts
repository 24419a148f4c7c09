import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { openApp } from '#app.ts'
import type { Config } from '#config/config.ts'
import { Unauthenticated } from '#errors.ts'
import { deleteExpired } from '#features/operations/retention/delete-expired.ts'
import { openResources } from '#resources.ts'
import { callerFor, type TestCaller } from '#test/caller.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { openTokenAuthenticator } from './authenticate-token.ts'

const { world } = shareWorld()

const statusOf = async (caller: TestCaller) => (await caller.get('/api/v1/auth/session')).status
const logout = (caller: TestCaller) => caller.post('/api/v1/auth/logout')
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Another API process as far as the database can tell: its own pool, its own cache, its own listener. */
async function secondProcess(
  database: Partial<Config['database']> = {},
): Promise<{ url: string } & AsyncDisposable> {
  const { config } = world
  const resources = await openResources({ ...config, database: { ...config.database, ...database } }, 'api')
  const app = await openApp(resources)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    async [Symbol.asyncDispose]() {
      await app.close()
      await resources.close()
    },
  }
}

suite('logout', () => {
  test('rejects the token immediately, but no other token of the same person', async () => {
    const sub = crypto.randomUUID()
    const [one, other] = [await world.home.as('owner', { sub }), await world.home.as('owner', { sub })]
    assert.deepEqual([await statusOf(one), await statusOf(other)], [200, 200])
    const { status, body } = await logout(one)
    assert.deepEqual([status, body], [200, { success: true }])
    const dead = await one.get('/api/v1/spaces')
    assert.deepEqual([dead.status, dead.body.code], [401, 'unauthorized'])
    assert.match(dead.headers.get('www-authenticate')!, /^Bearer/)
    assert.equal((await logout(one)).status, 401)
    assert.equal(await statusOf(other), 200)
  })

  test('another process that has cached the token rejects it too', async () => {
    await using second = await secondProcess()
    const here = await world.home.as('viewer')
    const there = callerFor(second.url, here.token)
    assert.equal(await statusOf(there), 200)
    await logout(here)
    // The news travels by notification; without it the cache would hold the token for half a minute.
    await until(
      () => statusOf(there),
      (status) => status === 401,
      20,
    )
  })

  test('a process without notifications for a while rejects it when they are back', async () => {
    await using way = await startFaultProxy(world.databaseUrl)
    await using second = await secondProcess({ directUrl: way.url })
    const here = await world.home.as('viewer')
    const there = callerFor(second.url, here.token)
    assert.equal(await statusOf(there), 200)
    const hearing = (word: string) =>
      until(
        async () => (await there.get('/health')).body.checks.notifications,
        (found) => found === word,
      )
    await way.set({ mode: 'refuse' })
    await hearing('unhealthy')
    await logout(here)
    assert.equal(await statusOf(there), 401)
    await way.set({ mode: 'pass' })
    await hearing('healthy')
    assert.equal(await statusOf(there), 401)
  })

  test('the cache is dropped when notifications may have been missed', async () => {
    const { database, identity } = world.resources
    const { authenticate, forgetMembers } = openTokenAuthenticator(database, identity)
    const here = await world.home.as('viewer')
    await authenticate(here.token!)
    await logout(here)
    // Nobody tells this one of the sign-out.
    await authenticate(here.token!)
    forgetMembers()
    await assert.rejects(authenticate(here.token!), Unauthenticated)
  })

  test('a process that starts later rejects it too', async () => {
    const here = await world.home.as('viewer')
    await logout(here)
    await using second = await secondProcess()
    assert.equal(await statusOf(callerFor(second.url, here.token)), 401)
  })

  test('rejects it as long as it would be accepted without the sign-out', async () => {
    const iat = Math.floor(Date.now() / 1_000) - 600
    const here = await world.home.as('viewer', { iat, exp: iat + 590 })
    assert.equal((await logout(here)).status, 200, 'the difference of the clocks is tolerated')
    await deleteExpired(world.resources.database, { notificationDays: 90 })
    await using second = await secondProcess()
    assert.equal(await statusOf(callerFor(second.url, here.token)), 401)
  })

  test('other encodings of the same signature are rejected too', async () => {
    const caller = await world.home.as('owner')
    const spellings = spellingsOf(caller.token!)
    const before = await Promise.all(spellings.map((token) => statusOf(world.caller(token))))
    assert.ok(before.includes(200), `no other spelling was accepted in the first place: ${before.join(' ')}`)
    await logout(caller)
    for (const token of [...spellings, ...spellingsOf(caller.token!, 2)])
      assert.equal(await statusOf(world.caller(token)), 401)
  })

  test('a lookup in progress during the sign-out does not restore the token', async () => {
    const { authenticate, forget } = openTokenAuthenticator(
      world.resources.database,
      world.resources.identity,
    )
    const { token } = await world.home.as('owner')
    const signed = token!.slice(0, token!.lastIndexOf('.'))
    const underWay = authenticate(token!)
    forget(createHash('sha256').update(signed).digest('hex'))
    await assert.rejects(underWay, Unauthenticated)
    await assert.rejects(authenticate(token!), Unauthenticated)
  })
})

suite('authentication', () => {
  const headers: [string, () => Promise<string | undefined>][] = [
    ['no header', async () => undefined],
    ['an empty token', async () => 'Bearer '],
    ['another scheme', async () => `Basic ${Buffer.from('ana:secret').toString('base64')}`],
    ['two tokens', async () => `Bearer ${(await world.home.as('owner')).token} x`],
    ['no scheme', async () => (await world.home.as('owner')).token!],
    ['a token that is none', async () => 'Bearer not-a-token'],
    ['characters that no token has', async () => 'Bearer "><script>'],
    ['a token longer than any', async () => `Bearer ${'a'.repeat(9_000)}`],
    ['an expired token', async () => `Bearer ${(await world.home.as('owner', { iat: 1, exp: 2 })).token}`],
  ]
  for (const [what, make] of headers)
    test(`${what}: 401 with WWW-Authenticate`, async () => {
      const authorization = await make()
      const answer = await world.caller(null).get('/api/v1/spaces', authorization ? { authorization } : {})
      assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'])
      assert.match(answer.headers.get('www-authenticate')!, /^Bearer/)
      assert.match(answer.headers.get('content-type')!, /^application\/problem\+json/)
    })

  test('accepts the scheme in any case', async () => {
    const { token } = await world.home.as('owner')
    const answer = await world.caller(null).get('/api/v1/spaces', { authorization: `bearer ${token}` })
    assert.equal(answer.status, 200)
  })

  test('ignores a token in the query string', async () => {
    const { token } = await world.home.as('owner')
    assert.equal((await world.caller(null).get(`/api/v1/spaces?access_token=${token}`)).status, 401)
  })

  test('rejects a token of a megabyte before it is verified', async () => {
    const answer = await world
      .caller(null)
      .get('/api/v1/spaces', { authorization: `Bearer ${'a'.repeat(1_000_000)}` })
    assert.equal(answer.status, 431)
    assert.equal((await world.caller(null).get('/health')).status, 200)
  })
})

/** The token with the character at the end of its signature, or near it, replaced by every other one. */
function spellingsOf(token: string, fromEnd = 1): string[] {
  const at = token.length - fromEnd
  return [...alphabet]
    .filter((char) => char !== token[at])
    .map((char) => token.slice(0, at) + char + token.slice(at + 1))
}

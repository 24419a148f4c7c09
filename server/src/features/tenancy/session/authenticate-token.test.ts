import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Unauthenticated } from '#errors.ts'
import { openWorld } from '#test/world.ts'
import { openTokenAuthenticator } from './authenticate-token.ts'

describe('recognizing a token', async () => {
  const world = await openWorld()
  after(() => world[Symbol.asyncDispose]())
  const { database, identity } = world.resources
  let verified = 0
  const watched = openTokenAuthenticator(database, {
    ...identity,
    verify: (token) => (verified++, identity.verify(token)),
  })

  test('concurrent requests with a new token share one lookup', async () => {
    const { token } = await world.home.as('staff')
    const callers = await Promise.all(Array.from({ length: 200 }, () => watched.authenticate(token!)))
    assert.equal(verified, 1)
    assert.deepEqual(new Set(callers.map(({ role }) => role)), new Set(['staff']))
  })

  test('all of them are rejected together, and the next request starts a new lookup', async () => {
    verified = 0
    const { token } = await world.home.as('staff')
    const spoilt = `${token!.slice(0, -8)}AAAAAAAA`
    const refusals = await Promise.allSettled(Array.from({ length: 9 }, () => watched.authenticate(spoilt)))
    for (const one of refusals) assert.ok(one.status === 'rejected' && one.reason instanceof Unauthenticated)
    await assert.rejects(watched.authenticate(spoilt), Unauthenticated)
    assert.equal(verified, 2)
  })

  test('a lookup that started before a change of members is not cached', async () => {
    verified = 0
    const { token } = await world.home.as('staff')
    const begun = watched.authenticate(token!)
    watched.forgetMembers(world.home.id)
    await begun
    await watched.authenticate(token!)
    assert.equal(verified, 2)
    watched.forgetMembers(world.away.id)
    await watched.authenticate(token!)
    assert.equal(verified, 2, 'a change elsewhere forgets nothing here')
    watched.forgetMembers()
    await watched.authenticate(token!)
    assert.equal(verified, 3)
  })

  test('requests that waited for the lookup are rejected when the token was signed out meanwhile', async () => {
    const { token } = await world.home.as('staff')
    const { token: known } = await watched.authenticate(token!)
    const fresh = openTokenAuthenticator(database, identity)
    const waiting = Promise.allSettled([fresh.authenticate(token!), fresh.authenticate(token!)])
    fresh.forget(known.hash.toString('hex'))
    for (const one of await waiting) assert.equal(one.status, 'rejected')
  })
})

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Unauthenticated } from '#errors.ts'
import { openWorld } from '../../../test/world.ts'
import { recognition } from './recognize.ts'

describe('recognizing a token', async () => {
  const world = await openWorld()
  after(() => world[Symbol.asyncDispose]())
  const { database, identity } = world.resources
  let verified = 0
  const watched = recognition(database, {
    ...identity,
    verify: (token) => (verified++, identity.verify(token)),
  })

  test('many requests at once with a token that nobody knew yet cost one look-up', async () => {
    const { token } = await world.home.as('staff')
    const callers = await Promise.all(Array.from({ length: 200 }, () => watched.recognize(token!)))
    assert.equal(verified, 1)
    assert.deepEqual(new Set(callers.map(({ role }) => role)), new Set(['staff']))
  })

  test('they all hear of a refusal, and the next one looks anew', async () => {
    verified = 0
    const { token } = await world.home.as('staff')
    const spoilt = `${token!.slice(0, -8)}AAAAAAAA`
    const refusals = await Promise.allSettled(Array.from({ length: 9 }, () => watched.recognize(spoilt)))
    for (const one of refusals) assert.ok(one.status === 'rejected' && one.reason instanceof Unauthenticated)
    await assert.rejects(watched.recognize(spoilt), Unauthenticated)
    assert.equal(verified, 2)
  })

  test('an answer that was begun before a change of members is not kept', async () => {
    verified = 0
    const { token } = await world.home.as('staff')
    const begun = watched.recognize(token!)
    watched.forgetMembers(world.home.id)
    await begun
    await watched.recognize(token!)
    assert.equal(verified, 2)
    watched.forgetMembers(world.away.id)
    await watched.recognize(token!)
    assert.equal(verified, 2, 'a change elsewhere forgets nothing here')
    watched.forgetMembers()
    await watched.recognize(token!)
    assert.equal(verified, 3)
  })

  test('whoever waited for it is refused too when it was signed out meanwhile', async () => {
    const { token } = await world.home.as('staff')
    const { token: known } = await watched.recognize(token!)
    const fresh = recognition(database, identity)
    const waiting = Promise.allSettled([fresh.recognize(token!), fresh.recognize(token!)])
    fresh.forget(known.hash.toString('hex'))
    for (const one of await waiting) assert.equal(one.status, 'rejected')
  })
})

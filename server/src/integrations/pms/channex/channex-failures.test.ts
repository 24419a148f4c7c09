import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  apiKey,
  availabilityUpdate,
  content,
  onlyResult,
  openPropertyFixture,
  terms,
} from '#test/channex-property.ts'
import { nights } from '#test/pms-fixture.ts'
import { openFaultyChannex, refusal } from '#test/faulty-channex.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'
import type { RateLimiter, RateLimitHeaders } from '../pms-call.ts'

suite('failed calls', () => {
  const cases: [FailureCode, object, object?][] = [
    ['auth_rejected', { mode: 'refuse', status: 401 }],
    ['auth_rejected', { mode: 'refuse', status: 403 }],
    ['mapping_not_found', { mode: 'refuse', status: 404 }],
    ['validation_rejected', { mode: 'refuse', status: 400 }],
    ['rate_limited', { mode: 'refuse', status: 429 }],
    ['pms_unavailable', { mode: 'refuse', status: 500 }],
    ['pms_unavailable', { mode: 'refuse', status: 503 }],
    ['pms_unavailable', { mode: 'garbage' }],
    ['pms_unavailable', { mode: 'garbage', code: 'shape' }],
    ['network', { mode: 'down' }],
    ['timeout', { mode: 'hang' }, { timeoutMs: 200 }],
  ]
  for (const [code, fault, config = {}] of cases)
    test(`${Object.values(fault).join(' ')} is ${code}`, async () => {
      await using property = await openPropertyFixture()
      await property.fault(fault)
      const connection = property.connect(config)
      const one = availabilityUpdate(property.units[0]!, 2, {
        rates: [{ plan: 'plan-0', ...nights(2), ...terms }],
        changedFields: 'all',
      })
      const { failure, acceptedRooms, contentAccepted } = onlyResult(await connection.push([one], {}))
      assert.deepEqual([failure!.code, acceptedRooms, contentAccepted], [code, [], false])
      assert.ok(failure!.message.endsWith('.') || failure!.message.includes(': '))
      assert.ok(failure!.hint)
      await assert.rejects(connection.readUnits(property.units, nights(1), {}), { code })
      await assert.rejects(connection.listOffers({}), { code })
      await assert.rejects(connection.checkAccess({}), { code })
    })

  test('a task that Channex does not show is unknown, and an outage is a failure', async () => {
    await using property = await openPropertyFixture()
    const stateOf = async (fault: object) => {
      await property.fault({ ...fault, times: 1 })
      return (await property.connection.getTaskStates!(['task'], {})).get('task')!.state
    }
    for (const status of [400, 401, 403, 404, 410, 422])
      assert.equal(await stateOf({ mode: 'refuse', status }), 'unknown', String(status))
    assert.equal(await stateOf({ mode: 'garbage' }), 'unknown')
    await assert.rejects(stateOf({ mode: 'refuse', status: 503 }), { code: 'pms_unavailable' })
  })

  test('one call is enough to detect that none can succeed', async () => {
    await using property = await openPropertyFixture({ rooms: 3 })
    await property.fault({ mode: 'refuse', status: 503 })
    const updates = property.units.map((unit) =>
      availabilityUpdate(unit, 2, {
        rates: [{ plan: 'plan-0', ...nights(2), ...terms }],
        changedFields: 'all',
      }),
    )
    const deliveries = await property.connection.push(updates, {})
    assert.equal((await property.calls({ writes: false })).length, 1)
    for (const { failure } of deliveries.values()) assert.equal(failure!.code, 'pms_unavailable')
  })

  test('accepted values stay accepted, and complete updates do not fail', async () => {
    await using property = await openPropertyFixture({ rooms: 2 })
    await property.fault({ mode: 'refuse', status: 503, external_id: property.units[0]!.externalId })
    const updates = [
      availabilityUpdate(property.units[0]!, 2, { changedFields: ['name'] }),
      availabilityUpdate(property.units[1]!),
    ]
    const deliveries = await property.connection.push(updates, {})
    const [renamed, other] = updates.map(({ id }) => deliveries.get(id)!)
    assert.equal(renamed!.failure!.code, 'pms_unavailable')
    assert.deepEqual([renamed!.acceptedRooms, renamed!.contentAccepted], [updates[0]!.rooms, false])
    assert.equal(other!.failure, null)
  })

  test('an unknown key, and an invalid one', async () => {
    await using property = await openPropertyFixture()
    for (const key of ['another', '', 'with\nnewline', 'ключ']) {
      const connection = property.connect({ key })
      await assert.rejects(connection.checkAccess({}), { code: 'auth_rejected' })
      const { failure } = onlyResult(await connection.push([availabilityUpdate(property.units[0]!)], {}))
      assert.equal(failure!.code, 'auth_rejected')
    }
  })

  test('a property of another account, or an unknown one', async () => {
    await using property = await openPropertyFixture()
    await assert.rejects(property.connect({ property: 'nobody' }).checkAccess({}), {
      code: 'mapping_not_found',
    })
    await assert.rejects(property.connect({ property: '..' }).checkAccess({}), { code: 'mapping_not_found' })
    const { failure } = onlyResult(
      await property.connect({ property: 'nobody' }).push([availabilityUpdate(property.units[0]!)], {}),
    )
    assert.equal(failure!.code, 'mapping_not_found')
    await property.control('POST', 'seed', { keys: [{ key: 'stranger', properties: [] }] })
    await assert.rejects(property.connect({ key: 'stranger' }).checkAccess({}), { code: 'auth_rejected' })
  })

  test('an unlinked plan fails its update, and the rest is sent', async () => {
    await using property = await openPropertyFixture()
    const unit = {
      ...property.units[0]!,
      plans: [...property.units[0]!.plans, { plan: 'new', externalId: null }],
    }
    const rates = [{ plan: 'new', ...nights(2), ...terms }, { plan: 'plan-0', ...nights(2), ...terms }] // prettier-ignore
    const { failure, acceptedRates, acceptedRooms } = onlyResult(
      await property.connection.push([availabilityUpdate(unit, 2, { rates })], {}),
    )
    assert.equal(failure!.code, 'mapping_not_found')
    assert.deepEqual([acceptedRates, acceptedRooms.length], [[rates[1]], 1])
  })

  test('no failure and no stored request contains the key', async () => {
    await using unruly = await openFaultyChannex(() => ({
      status: 422,
      body: refusal({ key: [`${apiKey} may not do this`] }),
    }))
    await using property = await openPropertyFixture()
    const connection = property.connect({ baseUrl: unruly.url })
    const { failure, exchanges } = onlyResult(
      await connection.push([availabilityUpdate(property.units[0]!)], {}),
    )
    assert.match(failure!.message, /… may not do this/)
    const texts = JSON.stringify([
      failure,
      failure!.message,
      failure!.hint,
      String(failure!.cause),
      exchanges,
    ])
    assert.ok(!texts.includes(apiKey))
  })
})

suite('the rate limiter', () => {
  test('is acquired before every call, by kind', async () => {
    await using property = await openPropertyFixture()
    const { rateLimiter, passed, received } = gateFor(() => {})
    const rates = [{ plan: 'plan-0', ...nights(2), ...terms }]
    await property.connection.push(
      [availabilityUpdate(property.units[0]!, 2, { rates, changedFields: ['name'], content })],
      {
        rateLimiter,
      },
    )
    assert.deepEqual(passed, ['availability', 'restrictions', 'content', 'content'])
    await property.connection.readUnits(property.units, nights(2), { rateLimiter })
    await property.connection.checkAccess({ rateLimiter })
    assert.equal(passed.length, (await property.calls({ writes: false })).length)
    assert.equal(received.length, passed.length)
  })

  test('records a 429, which the push reports', async () => {
    await using property = await openPropertyFixture()
    const { rateLimiter, received } = gateFor(() => {})
    for (let n = 0; n < 10; n += 1)
      await property.connection.push([availabilityUpdate(property.units[0]!)], {})
    const { failure } = onlyResult(
      await property.connection.push([availabilityUpdate(property.units[0]!)], { rateLimiter }),
    )
    assert.deepEqual(
      [failure!.code, failure!.retryAfter, failure!.isThrottledLocally],
      ['rate_limited', null, false],
    )
    assert.deepEqual(received.map(({ status }) => status), [429]) // prettier-ignore

    await property.fault({ mode: 'refuse', status: 429, retry_after: 7 })
    const refused = onlyResult(
      await property.connection.push([availabilityUpdate(property.units[0]!)], {}),
    ).failure!
    const seconds = (Number(refused.retryAfter) - Date.now()) / 1_000
    assert.ok(seconds > 0 && seconds <= 7, `${seconds} s`)
  })

  test('that blocks one kind allows the other', async () => {
    await using property = await openPropertyFixture()
    const { rateLimiter } = gateFor((kind) => {
      if (kind === 'availability')
        throw new PmsFailure('rate_limited', 'Held back.', { hint: 'Wait.', isThrottledLocally: true })
    })
    const rates = [{ plan: 'plan-0', ...nights(2), ...terms }]
    const one = availabilityUpdate(property.units[0]!, 2, { rates })
    const { failure, acceptedRates, acceptedRooms } = onlyResult(
      await property.connection.push([one], { rateLimiter }),
    )
    assert.deepEqual([failure!.isThrottledLocally, acceptedRooms, acceptedRates], [true, [], rates])
  })

  test('that allows no more calls ends the push', async () => {
    await using property = await openPropertyFixture({ rooms: 2 })
    const { rateLimiter, passed } = gateFor(() => {
      throw new PmsFailure('circuit_open', 'The PMS is away.', { hint: 'Wait.', isThrottledLocally: true })
    })
    const updates = property.units.map((unit) => availabilityUpdate(unit, 2, { changedFields: 'all' }))
    const deliveries = await property.connection.push(updates, { rateLimiter })
    assert.equal(passed.length, 1)
    assert.deepEqual(await property.calls({ writes: false }), [])
    for (const { failure } of deliveries.values()) assert.equal(failure!.code, 'circuit_open')
  })
})

function gateFor(atGate: (kind: string) => void | Promise<void>) {
  const passed: string[] = []
  const received: RateLimitHeaders[] = []
  const rateLimiter: RateLimiter = {
    async acquire(kind) {
      passed.push(kind)
      await atGate(kind)
    },
    recordResponse: (_, answer) => received.push(answer),
    recordFailure: () => {},
  }
  return { rateLimiter, passed, received }
}

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { apiKey, available, content, nights, only, openHouse, terms } from '../../../../test/channex-house.ts'
import { openUnruly, refusal } from '../../../../test/unruly-channex.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'
import type { Gate, Heard } from '../pms-call.ts'

suite('what goes wrong with a call', () => {
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
      await using house = await openHouse()
      await house.fault(fault)
      const connection = house.connect(config)
      const one = available(house.units[0]!, 2, {
        rates: [{ plan: 'plan-0', ...nights(2), ...terms }],
        differing: 'whole',
      })
      const { failure, tookRooms, tookContent } = only(await connection.push([one], {}))
      assert.deepEqual([failure!.code, tookRooms, tookContent], [code, [], false])
      assert.ok(failure!.message.endsWith('.') || failure!.message.includes(': '))
      assert.ok(failure!.hint)
      await assert.rejects(connection.read(house.units, nights(1), {}), { code })
      await assert.rejects(connection.offers({}), { code })
      await assert.rejects(connection.check({}), { code })
    })

  test('one call is enough to see that none will do', async () => {
    await using house = await openHouse({ rooms: 3 })
    await house.fault({ mode: 'refuse', status: 503 })
    const parcels = house.units.map((unit) =>
      available(unit, 2, { rates: [{ plan: 'plan-0', ...nights(2), ...terms }], differing: 'whole' }),
    )
    const deliveries = await house.connection.push(parcels, {})
    assert.equal((await house.calls({ writes: false })).length, 1)
    for (const { failure } of deliveries.values()) assert.equal(failure!.code, 'pms_unavailable')
  })

  test('what was taken before stays taken, and who wanted no more has not failed', async () => {
    await using house = await openHouse({ rooms: 2 })
    await house.fault({ mode: 'refuse', status: 503, external_id: house.units[0]!.externalId })
    const parcels = [available(house.units[0]!, 2, { differing: ['name'] }), available(house.units[1]!)]
    const deliveries = await house.connection.push(parcels, {})
    const [renamed, other] = parcels.map(({ id }) => deliveries.get(id)!)
    assert.equal(renamed!.failure!.code, 'pms_unavailable')
    assert.deepEqual([renamed!.tookRooms, renamed!.tookContent], [parcels[0]!.rooms, false])
    assert.equal(other!.failure, null)
  })

  test('an unknown key, and none that could be one', async () => {
    await using house = await openHouse()
    for (const key of ['another', '', 'with\nnewline', 'ключ']) {
      const connection = house.connect({ key })
      await assert.rejects(connection.check({}), { code: 'auth_rejected' })
      const { failure } = only(await connection.push([available(house.units[0]!)], {}))
      assert.equal(failure!.code, 'auth_rejected')
    }
  })

  test('a property of somebody else, or of nobody', async () => {
    await using house = await openHouse()
    await assert.rejects(house.connect({ property: 'nobody' }).check({}), { code: 'mapping_not_found' })
    await assert.rejects(house.connect({ property: '..' }).check({}), { code: 'mapping_not_found' })
    const { failure } = only(
      await house.connect({ property: 'nobody' }).push([available(house.units[0]!)], {}),
    )
    assert.equal(failure!.code, 'mapping_not_found')
    await house.door('POST', 'seed', { keys: [{ key: 'stranger', properties: [] }] })
    await assert.rejects(house.connect({ key: 'stranger' }).check({}), { code: 'auth_rejected' })
  })

  test('a plan that is not linked fails its parcel, and the rest of it is sent', async () => {
    await using house = await openHouse()
    const unit = { ...house.units[0]!, plans: [...house.units[0]!.plans, { plan: 'new', externalId: null }] }
    const rates = [{ plan: 'new', ...nights(2), ...terms }, { plan: 'plan-0', ...nights(2), ...terms }] // prettier-ignore
    const { failure, tookRates, tookRooms } = only(
      await house.connection.push([available(unit, 2, { rates })], {}),
    )
    assert.equal(failure!.code, 'mapping_not_found')
    assert.deepEqual([tookRates, tookRooms.length], [[rates[1]], 1])
  })

  test('no failure and no exchange repeats the key', async () => {
    await using unruly = await openUnruly(() => ({
      status: 422,
      body: refusal({ key: [`${apiKey} may not do this`] }),
    }))
    await using house = await openHouse()
    const connection = house.connect({ baseUrl: unruly.url })
    const { failure, exchanges } = only(await connection.push([available(house.units[0]!)], {}))
    assert.match(failure!.message, /… may not do this/)
    const told = JSON.stringify([failure, failure!.message, failure!.hint, String(failure!.cause), exchanges])
    assert.ok(!told.includes(apiKey))
  })
})

suite('the gate', () => {
  test('is passed before every call, by kind', async () => {
    await using house = await openHouse()
    const { gate, passed, heard } = gateFor(() => {})
    const rates = [{ plan: 'plan-0', ...nights(2), ...terms }]
    await house.connection.push([available(house.units[0]!, 2, { rates, differing: ['name'], content })], {
      gate,
    })
    assert.deepEqual(passed, ['availability', 'restrictions', 'content', 'content'])
    await house.connection.read(house.units, nights(2), { gate })
    await house.connection.check({ gate })
    assert.equal(passed.length, (await house.calls({ writes: false })).length)
    assert.equal(heard.length, passed.length)
  })

  test('hears of a 429, and the push learns that it is one', async () => {
    await using house = await openHouse()
    const { gate, heard } = gateFor(() => {})
    for (let n = 0; n < 10; n += 1) await house.connection.push([available(house.units[0]!)], {})
    const { failure } = only(await house.connection.push([available(house.units[0]!)], { gate }))
    assert.deepEqual([failure!.code, failure!.retryAfter, failure!.isHeldBack], ['rate_limited', null, false])
    assert.deepEqual(heard.map(({ status }) => status), [429]) // prettier-ignore

    await house.fault({ mode: 'refuse', status: 429, retry_after: 7 })
    const told = only(await house.connection.push([available(house.units[0]!)], {})).failure!
    const seconds = (Number(told.retryAfter) - Date.now()) / 1_000
    assert.ok(seconds > 0 && seconds <= 7, `${seconds} s`)
  })

  test('that holds back one kind lets the other through', async () => {
    await using house = await openHouse()
    const { gate } = gateFor((kind) => {
      if (kind === 'availability')
        throw new PmsFailure('rate_limited', 'Held back.', { hint: 'Wait.', isHeldBack: true })
    })
    const rates = [{ plan: 'plan-0', ...nights(2), ...terms }]
    const one = available(house.units[0]!, 2, { rates })
    const { failure, tookRates, tookRooms } = only(await house.connection.push([one], { gate }))
    assert.deepEqual([failure!.isHeldBack, tookRooms, tookRates], [true, [], rates])
  })

  test('that opens no more ends the push without a call', async () => {
    await using house = await openHouse({ rooms: 2 })
    const { gate, passed } = gateFor(() => {
      throw new PmsFailure('circuit_open', 'The PMS is away.', { hint: 'Wait.', isHeldBack: true })
    })
    const parcels = house.units.map((unit) => available(unit, 2, { differing: 'whole' }))
    const deliveries = await house.connection.push(parcels, { gate })
    assert.equal(passed.length, 1)
    assert.deepEqual(await house.calls({ writes: false }), [])
    for (const { failure } of deliveries.values()) assert.equal(failure!.code, 'circuit_open')
  })
})

function gateFor(atGate: (kind: string) => void | Promise<void>) {
  const passed: string[] = []
  const heard: Heard[] = []
  const gate: Gate = {
    async pass(kind) {
      passed.push(kind)
      await atGate(kind)
    },
    answered: (_, answer) => heard.push(answer),
    failed: () => {},
  }
  return { gate, passed, heard }
}

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { channexCaller, propertyDate, type PropertyIds, type Shown } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
before(async () => (channex = await startChannex()))
after(() => channex.close())

const caller = channexCaller(() => channex.url)

describe('faults and calls', () => {
  const { api, control, seedProperty } = caller
  afterEach(() => control('DELETE', 'faults'))

  test('a refusal is in the error format of Channex, and has no effect', async () => {
    const { property } = await seedProperty()
    await control('PUT', 'faults', { mode: 'refuse', status: 503, retry_after: 7, property, times: 1 })
    await control('PUT', 'faults', { mode: 'rate_limit', limit: 0, property })
    const change = { property: { title: 'Changed' } }
    const [refused, limited] = [await api('PUT', `/properties/${property}`, change), await api('GET', `/room_types?filter[property_id]=${property}`)] // prettier-ignore
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '7'])
    assert.deepEqual(refused.body.errors, { code: 'service_unavailable', title: 'Service Unavailable' })
    assert.deepEqual([limited.status, limited.body.errors.code], [429, 'http_too_many_requests'])
    assert.equal((await api('GET', '/properties')).status, 200)
    await control('DELETE', 'faults')
    assert.equal((await api('GET', `/properties/${property}`)).body.data.attributes.title, 'Harbour House')
  })

  test('lose_reply applies the message; down does not', async () => {
    const { property } = await seedProperty()
    const change = (title: string) => api('PUT', `/properties/${property}`, { property: { title } })
    await control('PUT', 'faults', { mode: 'lose_reply', times: 1 })
    await assert.rejects(change('Kept'), TypeError)
    await control('PUT', 'faults', { mode: 'down', times: 1 })
    await assert.rejects(change('Lost'), TypeError)
    await control('PUT', 'faults', { mode: 'garbage', times: 1 })
    await assert.rejects(change('Garbled'), SyntaxError)
    assert.equal((await api('GET', `/properties/${property}`)).body.data.attributes.title, 'Kept')
  })

  test('every call is recorded with its query, its body and its property', async () => {
    const { property, double } = await seedProperty()
    const { last } = (await control('GET', 'calls')).body
    const body = {
      values: [{ property_id: property, room_type_id: double, date: '2020-01-01', availability: 1 }],
    }
    await api('POST', '/availability', body)
    await api('GET', `/room_types/${double}?x=1`)
    const { calls } = (await control('GET', `calls?after=${last}`)).body
    assert.deepEqual(
      calls.map(({ method, path, property, external_id, status, body }: Record<string, unknown>) => [method, path, property, external_id, status, body]), // prettier-ignore
      [
        ['POST', '/api/v1/availability', property, null, 200, body],
        ['GET', `/api/v1/room_types/${double}?x=1`, null, double, 200, null],
      ],
    )
  })

  test('invalid control requests are refused', async () => {
    for (const [method, path, body] of [
      ['PUT', 'clock', {}],
      ['PUT', 'limits', { per_minute: 0 }],
      ['PUT', 'tasks', { hold: 'yes' }],
      ['PUT', 'deliveries', { copies: 0 }],
      ['PUT', 'deliveries', { copies: 1_000_000 }],
      ['PUT', 'clock', { ahead_ms: Number.MAX_SAFE_INTEGER }],
      ['PUT', 'deliveries', { hold: 'no' }],
      ['POST', 'deliveries/release', { order: 'random' }],
      ['POST', 'seed', { properties: 'one' }],
      ['POST', 'clock', {}],
    ] as const)
      assert.equal((await control(method, path, body)).status, 400, `${method} ${path}`)
  })

  test('the limit can be removed and set', async () => {
    const { property, double } = await seedProperty()
    await control('PUT', 'limits', { per_minute: null })
    const value = {
      property_id: property,
      room_type_id: double,
      date: propertyDate(Date.now(), 2),
      availability: 1,
    }
    for (let n = 0; n < 11; n += 1)
      assert.equal((await api('POST', '/availability', { values: [value] })).status, 200)
    await control('PUT', 'limits', { per_minute: 1 })
    assert.equal((await api('POST', '/availability', { values: [value] })).status, 200)
    assert.equal((await api('POST', '/availability', { values: [value] })).status, 429)
  })
})

describe('keys', () => {
  const { api, control, seedProperty } = caller

  test('once seeded, only seeded keys are valid, each for its properties', async () => {
    const [mine, yours] = [await seedProperty(), await seedProperty()]
    await control('POST', 'seed', { keys: [{ key: 'mine', properties: [mine.property] }, { key: 'all' }] })
    assert.equal((await api('GET', '/properties', undefined, 'any')).status, 401)
    const seen = (await api('GET', '/properties', undefined, 'mine')).body.data.map(({ id }: Shown) => id)
    assert.deepEqual(seen, [mine.property])
    assert.ok((await api('GET', '/properties', undefined, 'all')).body.meta.total > 1)

    for (const path of [
      `/properties/${yours.property}`,
      `/room_types/${yours.double}`,
      `/availability?filter[property_id]=${yours.property}&filter[date]=2030-01-01`,
    ])
      // prettier-ignore
      assert.equal((await api('GET', path, undefined, 'mine')).status, 401)
    const value = {
      property_id: yours.property,
      room_type_id: yours.double,
      date: propertyDate(Date.now(), 2),
    }
    const pushed = await api('POST', '/availability', { values: [{ ...value, availability: 1 }] }, 'mine')
    assert.ok(pushed.body.meta.warnings[0].warning.property_id)

    const revision = (await control('POST', 'bookings', { property_id: yours.property })).body.data
    assert.deepEqual((await api('GET', '/booking_revisions/feed', undefined, 'mine')).body.data, [])
    assert.equal((await api('POST', `/booking_revisions/${revision.id}/ack`, {}, 'mine')).status, 401)

    const { data } = (
      await api('POST', '/properties', { property: { title: 'New', currency: 'EUR' } }, 'mine')
    ).body
    assert.equal((await api('GET', `/properties/${data.id}`, undefined, 'mine')).status, 200)
  })
})

describe('persistence', () => {
  let home: string
  before(() => (home = mkdtempSync(join(tmpdir(), 'channex-'))))
  after(() => rmSync(home, { recursive: true }))

  /** Starts a Channex on the state of the previous one, does some work with it, and stops it. */
  async function afterRestart<T>(work: (caller: ReturnType<typeof channexCaller>) => Promise<T>): Promise<T> {
    const started = await startChannex({ home })
    try {
      return await work(channexCaller(() => started.url))
    } finally {
      await started.close()
    }
  }

  test('all state survives restarts, even with an incomplete line', async () => {
    const date = propertyDate(Date.now(), 5)
    const show = async ({ api }: ReturnType<typeof channexCaller>, { property, flexible }: PropertyIds) => {
      const span = `filter[property_id]=${property}&filter[date]=${date}`
      const paths = ['/properties', '/room_types', '/rate_plans', '/webhooks', '/booking_revisions/feed', `/availability?${span}`, `/restrictions?${span}&filter[restrictions]=rate,stop_sell`] // prettier-ignore
      const answers = []
      for (const path of paths) answers.push((await api('GET', path)).body.data)
      assert.deepEqual(answers.at(-1)[flexible], { [date]: { rate: '99.00', stop_sell: true } })
      return answers
    }
    const [ids, shown] = await afterRestart(async (caller) => {
      const { api, control } = caller
      const ids = await caller.seedProperty()
      const { property: property_id, double: room_type_id, flexible: rate_plan_id } = ids
      const value = { property_id, date }
      await api('POST', '/availability', { values: [{ ...value, room_type_id, availability: 2 }] })
      await api('POST', '/restrictions', { values: [{ ...value, rate_plan_id, rate: 9900 }] })
      await api('POST', '/restrictions', { values: [{ ...value, rate_plan_id, stop_sell: true }] })
      const gone = (await api('POST', '/properties', { property: { title: 'Gone', currency: 'EUR' } })).body
        .data.id
      await api('DELETE', `/properties/${gone}`)
      await api('POST', '/webhooks', {
        webhook: { callback_url: 'http://127.0.0.1:9', event_mask: 'ari', property_id },
      })
      const [seen] = [
        await control('POST', 'bookings', { property_id }),
        await control('POST', 'bookings', { property_id }),
      ]
      await api('POST', `/booking_revisions/${seen.body.data.id}/ack`)
      return [ids, await show(caller, ids)]
    })
    appendFileSync(join(home, 'channex.jsonl'), '{"kind":"properties","removed":"')
    assert.equal(shown[4]?.length, 1)
    assert.deepEqual(await afterRestart((caller) => show(caller, ids)), shown)
    assert.deepEqual(await afterRestart((caller) => show(caller, ids)), shown)
  })
})

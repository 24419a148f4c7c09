import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { callerOf, loft } from '../../test/pms-caller.ts'
import { startPms } from './server.ts'

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => (pms = await startPms()))
after(() => pms.close())

const call = callerOf(() => pms.url)

describe('units', () => {
  test('a unit is read back by its id and in the list of its property only', async () => {
    const put = await call('PUT', '/properties/p1/units/u%201', loft)
    assert.equal(put.status, 200)
    const { updated_at, ...unit } = put.body.unit
    assert.deepEqual(unit, { external_id: 'u 1', ...loft, revision: 1 })
    assert.ok(!Number.isNaN(Date.parse(updated_at)))
    assert.deepEqual((await call('GET', '/properties/p1/units/u%201')).body, put.body)
    assert.deepEqual((await call('GET', '/properties/p1/units')).body, { units: [put.body.unit] })
    assert.deepEqual((await call('GET', '/properties/other/units')).body, { units: [] })
    assert.match(put.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })

  test('the revision counts effective changes only', async () => {
    const path = '/properties/p1/units/counted'
    const revisions: number[] = []
    for (const [method, body] of [
      ['PUT', loft],
      ['PUT', loft],
      ['PATCH', { base_price_cents: 20_000 }],
      ['PATCH', { base_price_cents: 20_000 }],
      ['PATCH', { space: { amenities: ['wifi'] } }],
      ['PUT', { ...loft, external_id: 'counted' }],
    ] as const) {
      revisions.push((await call(method, path, body)).body.unit.revision)
    }
    assert.deepEqual(revisions, [1, 1, 2, 2, 3, 4])
  })

  test('a patch keeps the fields it does not name', async () => {
    const path = '/properties/p1/units/patched'
    await call('PUT', path, loft)
    const { unit } = (await call('PATCH', path, { open: false, space: { city: 'Ghent' } })).body
    assert.equal(unit.open, false)
    assert.equal(unit.base_price_cents, 18_900)
    assert.deepEqual(unit.space, { ...loft.space, city: 'Ghent' })
  })

  test('an unknown unit is 404', async () => {
    for (const [method, body] of [['GET'], ['PATCH', { open: false }]] as const) {
      const { status, body: answer } = await call(method, '/properties/p1/units/nowhere', body)
      assert.equal(status, 404)
      assert.equal(answer.error.code, 'unknown_unit')
    }
  })

  const refused: [string, object, string][] = [
    ['a missing member', { name: undefined }, 'name'],
    ['an unknown member', { colour: 'red' }, 'colour'],
    ['a member of the prototype', { constructor: 'x' }, 'constructor'],
    ['a server-owned member', { revision: 7 }, 'revision'],
    ['a wrong type', { open: 'yes' }, 'open'],
    ['a name that is too long', { name: 'n'.repeat(256) }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a NUL in text', { name: 'a\0b' }, 'name'],
    ['a lone surrogate', { name: 'a\ud800' }, 'name'],
    ['a price below zero', { base_price_cents: -1 }, 'base_price_cents'],
    ['a price too large', { base_price_cents: 2_147_483_648 }, 'base_price_cents'],
    ['a price with a fraction', { base_price_cents: 1.5 }, 'base_price_cents'],
    ['a currency in capitals', { currency: 'EUR' }, 'currency'],
    ['a third of a bathroom', { bathrooms: 1.3 }, 'bathrooms'],
    ['another external id than the path', { external_id: 'else' }, 'external_id'],
    ['no space', { space: undefined }, 'space'],
    ['a space that is a list', { space: [] }, 'space'],
    ['a space without a name', { space: { ...loft.space, name: undefined } }, 'space.name'],
    ['an unknown time zone', { space: { ...loft.space, timezone: 'Mars/Base' } }, 'space.timezone'],
    ['an amenity that is no text', { space: { ...loft.space, amenities: [1] } }, 'space.amenities'],
  ]
  for (const [name, change, field] of refused) {
    test(`${name} is 422 and names the field`, async () => {
      const { status, body } = await call('PUT', '/properties/p1/units/refused', { ...loft, ...change })
      assert.equal(status, 422)
      assert.deepEqual([body.error.code, body.error.field], ['invalid', field])
      assert.equal((await call('GET', '/properties/p1/units/refused')).status, 404)
    })
  }

  test('the largest allowed values are accepted', async () => {
    const edge = { ...loft, name: 'n'.repeat(255), base_price_cents: 2_147_483_647 }
    assert.equal((await call('PUT', '/properties/p1/units/edge', edge)).status, 200)
  })
})

describe('messages', () => {
  const path = '/properties/p1/units/m1'

  test('invalid JSON is 400, and another content type is 415', async () => {
    assert.equal((await call('PUT', path, '{"name":')).status, 400)
    assert.equal((await call('PUT', path, '')).status, 400)
    assert.equal((await call('PUT', path, loft, { 'content-type': 'text/plain' })).status, 415)
  })

  test('a body above 1 MiB is 413, deep JSON is 422, and the next call works', async () => {
    const large = JSON.stringify({ ...loft, name: 'n'.repeat(1024 * 1024) })
    assert.equal((await call('PUT', path, large)).status, 413)
    const deep = `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    assert.equal((await call('PUT', path, deep)).status, 422)
    assert.equal((await call('PUT', path, loft)).status, 200)
  })

  test('unknown paths are 404, unreadable ones 400, wrong methods 405', async () => {
    assert.equal((await call('GET', '/elsewhere')).body.error.code, 'unknown_path')
    assert.equal((await call('GET', '/properties/p1/rooms')).status, 404)
    assert.equal((await call('GET', '/properties/p1/units/%ff')).status, 400)
    assert.equal((await call('DELETE', path)).status, 405)
  })

  test('health answers, and only a key beginning with invalid is refused', async () => {
    assert.deepEqual((await call('GET', '/health')).body, { status: 'ok' })
    const health = (authorization: string) =>
      call('GET', '/properties/p1/health', undefined, { authorization })
    assert.equal((await health('Bearer any-key')).status, 200)
    const refusal = await health('Bearer invalid-key')
    assert.equal(refusal.status, 401)
    assert.equal(refusal.body.error.code, 'unauthorized')
    assert.equal((await call('PUT', path, loft, { authorization: 'Bearer invalid' })).status, 401)
  })
})

describe('idempotency', () => {
  const path = '/properties/p1/units/once'

  test('a repeated key replays the first answer and changes nothing', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const first = await call('PUT', path, loft, headers)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    await call('PATCH', path, { base_price_cents: 1 })
    const second = await call('PUT', path, loft, headers)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(second.body, first.body)
    assert.equal((await call('GET', path)).body.unit.base_price_cents, 1)
  })

  test('a key with another request is 409, and is free at another property', async () => {
    const headers = { 'idempotency-key': 'k2' }
    await call('PUT', path, loft, headers)
    const { status, body } = await call('PUT', path, { ...loft, open: false }, headers)
    assert.equal(status, 409)
    assert.equal(body.error.code, 'idempotency_key_reused')
    assert.equal((await call('PUT', '/properties/p2/units/once', loft, headers)).status, 200)
  })

  test('a refused request does not use up its key', async () => {
    const headers = { 'idempotency-key': 'k3' }
    assert.equal((await call('PUT', path, { ...loft, open: 1 }, headers)).status, 422)
    assert.equal((await call('PUT', path, loft, headers)).status, 200)
  })
})

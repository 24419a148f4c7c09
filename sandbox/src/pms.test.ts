import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startPms } from './pms.ts'

const loft = {
  name: 'Harbour Loft',
  type: 'apartment',
  bedrooms: 2,
  bathrooms: 1.5,
  max_guests: 4,
  quantity: 1,
  base_price_cents: 18_900,
  currency: 'eur',
  open: true,
  space: {
    name: 'Harbour House',
    address: 'Kaistraat 12',
    city: 'Antwerp',
    state: null,
    zip: '2000',
    country: 'BE',
    timezone: 'Europe/Brussels',
    description: null,
    amenities: ['wifi', 'lift'],
  },
}

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => (pms = await startPms()))
after(() => pms.close())

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const res = await fetch(pms.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  })
  const raw = await res.text()
  return { status: res.status, headers: res.headers, body: raw === '' ? undefined : JSON.parse(raw) }
}

describe('units', () => {
  test('a unit put is read back, alone and in the list of its property only', async () => {
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

  test('a patch leaves what it does not name', async () => {
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
    ['a time zone nobody knows', { space: { ...loft.space, timezone: 'Mars/Base' } }, 'space.timezone'],
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

  test('what is not JSON is 400, and what does not claim to be is 415', async () => {
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

describe('the call log', () => {
  beforeEach(() => call('DELETE', '/_control/calls'))

  test('tells what arrived, in order, and can be read on from a number', async () => {
    const { last } = (await call('GET', '/_control/calls')).body
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await call('PUT', '/properties/p1/units/logged', loft, { 'idempotency-key': 'log', traceparent })
    await call('GET', '/properties/p1/units/none')
    const { calls } = (await call('GET', `/_control/calls?after=${last}`)).body
    const { at, ...put } = calls[0]
    assert.ok(!Number.isNaN(Date.parse(at)))
    assert.deepEqual(put, {
      n: last + 1,
      method: 'PUT',
      path: '/properties/p1/units/logged',
      property: 'p1',
      external_id: 'logged',
      status: 200,
      idempotency_key: 'log',
      traceparent,
      fault: null,
      body: loft,
    })
    assert.deepEqual([calls[1].n, calls[1].status, calls[1].body], [last + 2, 404, null])
    assert.equal((await call('GET', `/_control/calls?after=${last + 1}`)).body.calls.length, 1)
  })

  test('keeps the last 20,000 calls', async () => {
    const { last } = (await call('GET', '/_control/calls')).body
    for (let round = 0; round < 200; round += 1) {
      await Promise.all(
        Array.from({ length: 101 }, () => fetch(`${pms.url}/health`).then((res) => res.text())),
      )
    }
    const { calls, last: now } = (await call('GET', '/_control/calls')).body
    assert.equal(now, last + 20_200)
    assert.equal(calls.length, 20_000)
    assert.equal(calls[0].n, last + 201)
  })
})

describe('persistence', () => {
  test('units, revisions and used keys survive a restart, even with a line cut short', async () => {
    const home = mkdtempSync(join(tmpdir(), 'pms-'))
    const previous = pms
    try {
      pms = await startPms({ home })
      const path = '/properties/p1/units/kept'
      const headers = { 'idempotency-key': 'kept' }
      const first = await call('PUT', path, loft, headers)
      const changed = await call('PATCH', path, { open: false })
      await pms.close()
      appendFileSync(join(home, 'pms.jsonl'), '{"property":"p1","unit":{"ext')

      pms = await startPms({ home })
      assert.deepEqual((await call('GET', path)).body, changed.body)
      const replayed = await call('PUT', path, loft, headers)
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
      assert.deepEqual(replayed.body, first.body)
      assert.equal((await call('PATCH', path, { open: true })).body.unit.revision, 3)
      await pms.close()

      pms = await startPms({ home })
      assert.equal((await call('GET', path)).body.unit.revision, 3)
      const lines = readFileSync(join(home, 'pms.jsonl'), 'utf8').trim().split('\n')
      assert.equal(lines.length, 2, 'one used key and one unit are left after compaction')
      await pms.close()
    } finally {
      pms = previous
      rmSync(home, { recursive: true })
    }
  })
})

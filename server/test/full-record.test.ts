import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from './expect.ts'
import { contract, operations, resolveSchema, type Schema } from './operations.ts'
import { addPlan, addSpace, addTarget, addUnit } from './records.ts'
import { shareWorld } from './share-world.ts'

// A PUT is the full record: it requires what a POST requires, and what it leaves out is as a POST would make it.

const { world, owner } = shareWorld()

/** A body with what is required, once to be posted and once to be put over a record that has everything else. */
interface Case {
  readonly posted: object
  readonly put: object
  /** What the record has that the PUT leaves out. */
  readonly extra: object
}

const priced = { base_price_cents: 9_000 }
const stay = { guestName: 'Ada', checkIn: '2030-07-01', checkOut: '2030-07-04' }

const cases: Record<string, () => Promise<Case> | Case> = {
  '/api/v1/spaces': () => ({
    posted: { name: 'Same' },
    put: { name: 'Same' },
    extra: {
      ...{
        address: 'Rua 1',
        city: 'Faro',
        state: 'Algarve',
        zip: '8000',
        country: 'PT',
        amenities: ['wifi'],
      },
      ...{ description: 'By the sea', status: 'inactive', timezone: 'Asia/Tokyo', currency: 'jpy' },
    },
  }),
  '/api/v1/units': async () => {
    const body = { space_id: (await addSpace(owner)).id, name: 'Same', ...priced }
    const rooms = { type: 'loft', bedrooms: 3, bathrooms: 2.5, max_guests: 6, quantity: 4 }
    return {
      posted: body,
      put: body,
      extra: { ...rooms, min_price_cents: 5_000, currency: 'jpy', status: 'maintenance' },
    }
  },
  '/api/v1/rate-plans': async () => ({
    posted: { unit_id: (await addUnit(owner)).id, name: 'Same' },
    put: { name: 'Same' },
    extra: { unit_id: (await addUnit(owner)).id, meal_plan: 'breakfast', status: 'inactive' },
  }),
  '/api/v1/charges': async () => {
    const fee = { name: 'Same', kind: 'fee', basis: 'guest_night', amount_cents: 500 }
    const body = { ...fee, unit_id: (await addUnit(owner)).id }
    const nights = { min_nights: 2, max_nights: 9, charged_nights: 3 }
    return { posted: body, put: body, extra: { ...nights, guests_included: 1, status: 'inactive' } }
  },
  '/api/v1/seasons': async () => {
    const values = [{ date_from: '2030-07-01', date_to: '2030-07-31', price_percent: 20 }]
    return { posted: { name: 'Same', values }, put: { name: 'Same', values }, extra: { name: 'Other' } }
  },
  '/api/v1/bookings': async () => {
    const unit = await addUnit(owner, { quantity: 9, max_guests: 4, ...priced })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const body = { unitId: unit.id, ...stay }
    const guest = { guestEmail: 'ada@guest.example', guestPhone: '+351912345678', guests: 3 }
    return {
      posted: body,
      put: body,
      extra: { ...guest, rooms: 2, ratePlanId: plan.id, totalCents: 99_000, source: 'manual', notes: 'Late' },
    }
  },
  '/api/v1/channel-targets': () => ({
    posted: { channel_type: 'pms', name: 'Same' },
    put: { channel_type: 'pms', name: 'Same' },
    extra: { config: { property_ref: 'house', timeout_ms: 500 }, status: 'inactive' },
  }),
  '/api/v1/channel-listings': async () => {
    const unit = await addUnit(owner)
    const plan = await addPlan(owner, { unit_id: unit.id })
    const [first, second] = [await addTarget(owner), await addTarget(owner)]
    const link = { unit_id: unit.id, external_id: 'RT-1' }
    const rate_plans = [{ rate_plan_id: plan.id, external_id: 'RP-1' }]
    return {
      posted: { ...link, channel_target_id: first.id },
      put: { ...link, channel_target_id: second.id },
      extra: { rate_plans, status: 'paused' },
    }
  },
  '/api/v1/webhook-endpoints': () => {
    const body = { url: 'https://partner.example/hook', event_types: ['unit.created'] }
    const extra = { description: 'Key boxes', account_id: world.home.accountId, status: 'disabled' }
    return { posted: body, put: body, extra }
  },
}

/** Members that exclude others, or have one value in any new record: tests of their features store them. */
const withRules: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/units': ['free_of_charge'],
  '/api/v1/rate-plans': ['currency', 'is_default'],
  '/api/v1/charges': ['space_id', 'percent', 'applies_to', 'included', 'currency'],
  '/api/v1/channel-listings': ['create'],
  '/api/v1/bookings': ['quoteId', 'currency', 'status', 'cancellationReason', 'externalId'],
}

/** What a record is named by, when it was written, what it hangs on, and what is shown once. */
const own = new Set([
  ...['id', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'secret'],
  ...['channel_target_id', 'channel_target', 'unit_id'],
])
type Members = Record<string, unknown>
const comparable = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !own.has(name)))
const bodyOf = (method: string, path: string): Schema =>
  resolveSchema(operations.find((one) => one.method === method && one.path === path)!.body!)
const collections = operations
  .filter(({ method, path }) => method === 'PUT' && path.endsWith('/{id}'))
  .map(({ path }) => path.replace('/{id}', ''))

suite('PUT is the full record', () => {
  test('of every resource that has a PUT', () => {
    assert.deepEqual(Object.keys(cases).sort(), [...collections].sort())
    assert.ok(contract.paths['/api/v1/notification-preferences']!['put'], 'the only other one has no POST')
  })

  for (const path of Object.keys(cases)) {
    test(`of ${path}: it requires what a POST requires`, () => {
      assert.deepEqual(bodyOf('PUT', `${path}/{id}`).required, bodyOf('POST', path).required)
    })

    test(`of ${path}: a case has every member, so that one that is not stored is found`, async () => {
      const { put, extra } = await cases[path]!()
      const members = Object.entries(bodyOf('PUT', `${path}/{id}`).properties!)
      const writable = members.filter(([, member]) => resolveSchema(member)['description'] !== 'Read only.')
      const known = new Set([...Object.keys({ ...put, ...extra }), 'account_id', ...(withRules[path] ?? [])])
      const missing = writable.map(([name]) => name).filter((name) => !known.has(name))
      assert.deepEqual(missing, [], 'add them to the case above')
    })

    test(`of ${path}: a POST stores every member, and a PATCH of one, if there is any, keeps the others`, async () => {
      const { posted, put, extra } = await cases[path]!()
      const [plain] = Object.values(expectStatus(await owner.post(path, posted), 201)) as [Members]
      const [made] = Object.values(expectStatus(await owner.post(path, { ...put, ...extra }), 201)) as [
        Members,
      ]
      assert.partialDeepStrictEqual(made, extra)
      if (!('patch' in contract.paths[`${path}/{id}`]!)) return
      const patched = Object.keys(extra).at(-1)!
      const change = { [patched]: plain[patched] }
      const [after] = Object.values(
        expectStatus(await owner.patch(`${path}/${made['id'] as string}`, change), 200),
      )
      assert.deepEqual(comparable(after as Members), comparable({ ...made, ...change }))
    })

    test(`of ${path}: what was read can be sent back, and changes nothing`, async () => {
      const { put, extra } = await cases[path]!()
      const [{ id }] = Object.values(expectStatus(await owner.post(path, { ...put, ...extra }), 201)) as [
        { id: string },
      ]
      const read = await owner.get(`${path}/${id}`)
      const [record] = Object.values(expectStatus(read, 200))
      expectStatus(await owner.put(`${path}/${id}`, record), 200)
      const after = await owner.get(`${path}/${id}`)
      assert.deepEqual(expectStatus(after, 200), read.body)
      assert.equal(after.headers.get('etag'), read.headers.get('etag'))
    })

    test(`of ${path}: what it leaves out is as a POST makes it`, async () => {
      const { posted, put, extra } = await cases[path]!()
      const [made] = Object.values(expectStatus(await owner.post(path, { ...put, ...extra }), 201)) as [
        { id: string; unit_id?: string },
      ]
      const whole = 'unit_id' in extra ? { ...put, unit_id: made.unit_id } : put
      const [replaced] = Object.values(expectStatus(await owner.put(`${path}/${made.id}`, whole), 200))
      const [plain] = Object.values(expectStatus(await owner.post(path, posted), 201))
      assert.deepEqual(comparable(replaced as object), comparable(plain as object))
      assert.notDeepEqual(comparable(made), comparable(replaced as object), 'the PUT had something to change')
    })
  }
})

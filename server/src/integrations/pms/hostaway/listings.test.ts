import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  content,
  deliver,
  gateBefore,
  openHostawayAccount,
  openOddHostaway,
  updateOf,
  type HostawayAccount,
} from '#test/hostaway-account.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { NewUnit } from '../pms.ts'

let account: HostawayAccount
before(async () => {
  account = await openHostawayAccount()
  await account.connection.checkAccess({})
})
after(() => account.close())

const nights = { date_from: '2031-05-01', date_to: '2031-05-06' }
const link = (id: number) => ({ externalId: String(id), plans: [{ plan: 'plan', externalId: null }] })
const read = async (id: number) =>
  (await account.connection.readUnits([link(id)], nights, {})).get(String(id))
const draft = (name: string, taken: readonly string[] = []): NewUnit => ({
  content: { ...content, name },
  plans: [
    { plan: 'other', name: 'Other', isDefault: false },
    { plan: 'plan', name: 'Standard', isDefault: true },
  ],
  linkedIds: taken,
  idempotencyKey: 'draft',
})
const named = async (name: string) =>
  (await account.call('GET', `/listings?match=${encodeURIComponent(name)}`)).body.result as { id: number }[]

describe('reading back', () => {
  test('shows what was pushed, in our words', async () => {
    const id = await account.addListing()
    const terms = {
      price_cents: 1_999,
      min_stay_arrival: 3,
      max_stay: null,
      closed_to_arrival: true,
      closed_to_departure: false,
    }
    const first = { plan: 'plan', date_from: '2031-05-01', date_to: '2031-05-04', ...terms }
    const rates = [first, { ...first, ...terms, max_stay: 9, date_from: '2031-05-05', date_to: '2031-05-06' }]
    const rooms = [
      { date_from: '2031-05-01', date_to: '2031-05-02', available: 1 },
      { date_from: '2031-05-03', date_to: '2031-05-06', available: 0 },
    ]
    await deliver(account.connection, updateOf(id, { rooms, rates, changedFields: 'all' }))
    const { type: _, quantity: __, open: ___, space, ...members } = content
    const { name: ____, country: _____, amenities: ______, ...address } = space
    assert.deepEqual(await read(id), { content: { ...members, space: address }, rooms, rates })
  })

  test('an untouched listing shows its defaults', async () => {
    const id = await account.addListing({ units: 3, minNights: 2, currencyCode: 'JPY', price: 9_000 })
    const shown = await read(id)
    assert.deepEqual(shown?.rooms, [{ ...nights, available: 3 }])
    assert.deepEqual(shown?.rates, [
      {
        plan: 'plan',
        ...nights,
        price_cents: 9_000,
        min_stay_arrival: 2,
        max_stay: null,
        closed_to_arrival: false,
        closed_to_departure: false,
      },
    ])
    assert.deepEqual([shown?.content.currency, shown?.content.base_price_cents], ['jpy', 9_000])
  })

  test('a stay that was booked over there takes a room', async () => {
    const id = await account.addListing({ units: 2 })
    await account.reserve(id, '2031-05-02', '2031-05-04')
    assert.deepEqual((await read(id))?.rooms, [
      { date_from: '2031-05-01', date_to: '2031-05-01', available: 2 },
      { date_from: '2031-05-02', date_to: '2031-05-03', available: 1 },
      { date_from: '2031-05-04', date_to: '2031-05-06', available: 2 },
    ])
  })

  test('one that is not there is null, and the others are shown', async () => {
    const id = await account.addListing()
    const shown = await account.connection.readUnits([link(999_999), link(id)], nights, {})
    assert.deepEqual([...shown].map(([key, one]) => [key, one !== null]).sort(), [
      [String(id), true],
      ['999999', false],
    ])
  })

  test('contents come by the page, calendars one by one', async () => {
    await using other = await openHostawayAccount()
    const ids = await Promise.all(Array.from({ length: 10 }, () => other.addListing()))
    await other.connection.checkAccess({})
    const { result, calls } = await other.sentBy(() => other.connection.readUnits(ids.map(link), nights, {}))
    assert.equal(result.size, 10)
    assert.equal(calls.length, 11)
  })

  test('sends numbers again to a listing that has got more units', async () => {
    const id = await account.addListing()
    const rooms = [{ date_from: '2031-05-01', date_to: '2031-05-06', available: 1 }]
    await deliver(account.connection, updateOf(id, { rooms }))
    await account.control('PATCH', `listings/${id}`, { units: 5 })
    assert.deepEqual((await read(id))?.rooms, [{ ...nights, available: 5 }])
    await deliver(account.connection, updateOf(id, { rooms }))
    assert.deepEqual((await read(id))?.rooms, rooms)
  })

  test('an id that cannot be a listing is no mapping', async () => {
    const reading = account.connection.readUnits([{ externalId: '../x', plans: [] }], nights, {})
    await assert.rejects(reading, { code: 'mapping_not_found' })
  })
})

describe('offers', () => {
  test('all listings of the account, page after page', async () => {
    await using other = await openHostawayAccount()
    for (let n = 0; n < 205; n += 1) await other.addListing({ name: `Villa ${n}` })
    const { result: offers, calls } = await other.sentBy(() => other.connection.listOffers({}))
    assert.equal(new Set(offers.map(({ external_id }) => external_id)).size, 205)
    assert.deepEqual(
      calls
        .filter(({ method }) => method === 'GET')
        .map(({ path }) => new URL(path, other.url).searchParams.get('offset')),
      ['0', '100', '200'],
    )
  })

  test('few of many listings are looked up by the page only where that takes fewer calls', async () => {
    await using other = await openHostawayAccount()
    const ids: number[] = []
    for (let n = 0; n < 205; n += 1) ids.push(await other.addListing())
    await other.connection.checkAccess({})
    const looksFor = async (wanted: number[]) => {
      const { result, calls } = await other.sentBy(() =>
        other.connection.readUnits(wanted.map(link), nights, {}),
      )
      assert.ok(wanted.every((id) => result.get(String(id))))
      return calls.filter(({ path }) => !path.includes('calendar')).length
    }
    assert.equal(await looksFor([ids[0]!, ids[204]!]), 2)
    assert.equal(await looksFor(ids.slice(101, 104)), 2)
    assert.equal(await looksFor(ids.slice(200)), 3)
    assert.equal(await looksFor([ids[204]!]), 1)
  })

  test('each says what it holds, and whether it can be written to', async () => {
    const id = await account.addListing({
      name: 'Attic',
      units: 3,
      personCapacity: 2,
      specialStatus: 'archived',
    })
    const offers = await account.connection.listOffers({})
    assert.deepEqual(
      offers.find(({ external_id }) => external_id === String(id)),
      {
        external_id: String(id),
        name: 'Attic',
        max_guests: 2,
        quantity: 3,
        currency: 'eur',
        active: false,
        rate_plans: [],
      },
    )
  })
})

describe('making a listing', () => {
  test('it stands there once, with what the unit says, and its default plan is the listing itself', async () => {
    const link = await account.connection.createUnit(draft('Garden'), {})
    assert.deepEqual(link.plans, [{ plan: 'plan', externalId: null }])
    assert.deepEqual(
      (await named('Garden')).map(({ id }) => String(id)),
      [link.externalId],
    )
    const { result } = (await account.call('GET', `/listings/${link.externalId}`)).body
    assert.deepEqual([result.personCapacity, result.price, result.currencyCode], [4, 120.5, 'EUR'])
  })

  test('whose answer was lost is found again by its name', async () => {
    const rateLimiter = gateBefore(2, () => account.fault({ mode: 'lose_reply', times: 1 }))
    await assert.rejects(account.connection.createUnit(draft('Lost'), { rateLimiter }), { code: 'network' })
    assert.equal((await named('Lost')).length, 1)
    const made = await account.connection.createUnit(draft('Lost'), {})
    assert.deepEqual(
      (await named('Lost')).map(({ id }) => String(id)),
      [made.externalId],
    )
  })

  test('a listing of the same name that is taken, archived or only alike is left alone', async () => {
    const taken = await account.addListing({ name: 'Twin' })
    await account.addListing({ name: 'Twin', specialStatus: 'archived' })
    await account.addListing({ name: 'Twin beds' })
    const made = await account.connection.createUnit(draft('Twin', [String(taken)]), {})
    assert.equal((await named('Twin')).length, 4)
    assert.notEqual(made.externalId, String(taken))
  })

  test('several equal units cannot be made, and it says how to', async () => {
    const several = { ...draft('Dorm'), content: { ...content, name: 'Dorm', quantity: 6 } }
    await assert.rejects(account.connection.createUnit(several, {}), (error) => {
      assert.ok(error instanceof PmsFailure)
      assert.equal(error.code, 'validation_rejected')
      assert.match(error.hint, /multi-unit listing with 6 units/)
      return true
    })
    assert.deepEqual(await named('Dorm'), [])
  })
})

describe('members that are passed over', () => {
  test('what did not take is a partial rejection that names it', async () => {
    // The stand-in takes all that we send; the vendor may not.
    await using odd = await openOddHostaway((body) => ({
      body: {
        status: 'success',
        result: { id: 7, ...(body as object), bathroomsNumber: 1, zipcode: null, price: '120.50' },
      },
    }))
    const connection = account.connect({ baseUrl: odd.url })
    const delivery = await deliver(connection, updateOf(7, { changedFields: 'all' }))
    assert.equal(delivery.failure?.code, 'partial_rejection')
    assert.equal(delivery.failure?.message, 'Hostaway kept its own bathroomsNumber, zipcode.')
    assert.equal(delivery.contentAccepted, false)
  })
})

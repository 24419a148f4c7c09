import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/availability'
const stay = { from: '2030-07-10', to: '2030-07-13' }
const search = async (query: object, caller = owner) =>
  expectStatus(await caller.get(`${path}?${new URLSearchParams({ ...stay, ...query })}`), 200)
type Shown = { unit_id: string; name: string; [member: string]: unknown }
const found = async (query: object, caller = owner): Promise<Shown[]> =>
  (await search(query, caller)).availability
const namesOf = async (query: object, caller = owner) => (await found(query, caller)).map(({ name }) => name)

const dearAndCheap = async (fields: object = {}) => {
  const { id } = await addSpace(owner, { currency: 'eur' })
  const units = []
  for (const [name, price] of [
    ['Cheap', 10_000],
    ['Middle', 20_000],
    ['Dear', 30_000],
  ] as const)
    units.push(
      await addUnit(owner, { space_id: id, name, base_price_cents: price, max_guests: 2, ...fields }),
    )
  return { space_id: id, units }
}

suite('availability: filters', () => {
  test('filters by price with currency, type and account', async () => {
    const { space_id } = await dearAndCheap({ type: 'villa' })
    const names = (query: object) => namesOf({ space_id, ...query })
    assert.deepEqual(await names({ currency: 'eur', max_price_cents: 60_000 }), ['Cheap', 'Middle'])
    assert.deepEqual(await names({ currency: 'eur', min_price_cents: 60_000 }), ['Middle', 'Dear'])
    assert.deepEqual(await names({ currency: 'eur', min_price_cents: 30_001, max_price_cents: 89_999 }), [
      'Middle',
    ])
    assert.deepEqual(await names({ currency: 'usd' }), [])
    assert.deepEqual(await names({ type: 'villa' }), ['Cheap', 'Middle', 'Dear'])
    assert.deepEqual(await names({ type: 'room' }), [])
    assert.equal((await names({ account_id: world.home.accountId })).length, 3)
    assert.deepEqual(await names({ account_id: world.away.accountId }), [])
    assert.deepEqual(await names({ org_id: world.away.id }), [])
  })

  test('filters by the beginning of city, state, country or name, ignoring case', async () => {
    const space = await addSpace(owner, {
      name: 'Casa 50% Verde',
      city: 'ÉVORA',
      state: 'Alentejo',
      country: 'PT',
    })
    await addUnit(owner, { space_id: space.id, name: 'Sought' })
    for (const place of ['évora', 'Év', 'ALEN', 'casa 50% v', 'Casa 50% Verde'])
      assert.deepEqual(await namesOf({ place }), ['Sought'], place)
    for (const place of ['vora', '%', 'casa_', 'évoras', '\u{10ffff}'])
      assert.deepEqual(await namesOf({ place }), [], place)
    assert.ok((await namesOf({ place: 'pt', limit: 100 })).includes('Sought'))
    expectStatus(await owner.patch(`/api/v1/spaces/${space.id}`, { city: 'Beja' }), 200)
    assert.deepEqual(await namesOf({ place: 'évora' }), [])
    assert.deepEqual(await namesOf({ place: 'beja' }), ['Sought'])
  })
})

suite('availability: pages', () => {
  test('pages contain each unit once, in every order, during bookings', async () => {
    const { id: space_id } = await addSpace(owner)
    const units = []
    for (let n = 0; n < 12; n++)
      units.push(await addUnit(owner, { space_id, name: `N${String((n * 7) % 12).padStart(2, '0')}` }))
    for (const sort of ['created_at', '-created_at', 'name', '-name']) {
      const all = await namesOf({ space_id, sort })
      const sorted: string[] = sort.endsWith('name')
        ? units.map(({ name }) => name).sort()
        : units.map(({ name }) => name)
      assert.deepEqual(all, sort.startsWith('-') ? sorted.reverse() : sorted, sort)
      const paged: string[] = []
      let cursor: string | null = null
      const bookings = []
      do {
        const page: Awaited<ReturnType<typeof search>> = await search({
          space_id,
          sort,
          limit: 5,
          ...(cursor && { cursor }),
        })
        paged.push(...page.availability.map(({ name }: Shown) => name))
        cursor = page.next_cursor
        assert.equal(page.has_more, cursor !== null)
        // What was shown already is booked: nothing behind it moves.
        const taken = page.availability[0].unit_id
        bookings.push(await addBooking(owner, { unitId: taken, checkIn: stay.from, checkOut: stay.to }))
      } while (cursor)
      assert.deepEqual(paged, all, sort)
      for (const { id } of bookings) expectStatus(await owner.delete(`/api/v1/bookings/${id}`), 204)
    }
  })
})

suite('availability: error', () => {
  const wrong: [string, object, number, string, string][] = [
    ['no day', { from: '' }, 400, 'validation-error', '/from'],
    ['no night', { to: stay.from }, 422, 'semantic-error', '/to'],
    ['too many nights', { to: '2031-07-11' }, 422, 'semantic-error', '/to'],
    ['a day that is past', { from: '2020-01-01', to: '2020-01-02' }, 422, 'semantic-error', '/from'],
    ['a price without a currency', { max_price_cents: 1 }, 422, 'semantic-error', '/currency'],
    [
      'prices the wrong way round',
      { currency: 'eur', min_price_cents: 2, max_price_cents: 1 },
      422,
      'semantic-error',
      '/max_price_cents',
    ],
    ['no guests', { guests: 0 }, 400, 'validation-error', '/guests'],
    ['an unknown order', { sort: 'price' }, 400, 'validation-error', '/sort'],
  ]
  for (const [what, query, status, code, pointer] of wrong)
    test(`rejects ${what}`, async () => {
      const reply = await owner.get(
        `${path}?${new URLSearchParams({ ...stay, ...query } as Record<string, string>)}`,
      )
      expectProblem(reply, status, code, pointer)
    })

  test('rejects a cursor of another search', async () => {
    const { space_id } = await dearAndCheap()
    const { next_cursor: cursor } = await search({ space_id, limit: 1 })
    assert.equal(typeof cursor, 'string')
    const other = await owner.get(
      `${path}?${new URLSearchParams({ ...stay, space_id, cursor, guests: '2' })}`,
    )
    expectProblem(other, 400, 'invalid-cursor')
  })
})

suite('availability: security', () => {
  test('returns nothing of another organization', async () => {
    const { space_id, units } = await dearAndCheap()
    for (const query of [{ space_id }, { unit_id: units[0].id }, {}])
      assert.deepEqual(await found(query, stranger), [], JSON.stringify(query))
  })

  test('requires units:read', async () => {
    const viewer = await world.home.as('viewer')
    assert.equal((await viewer.get(`${path}?${new URLSearchParams(stay)}`)).status, 200)
    const nobody = await world.home.as('service', { permissions: ['bookings:read'] })
    expectProblem(await nobody.get(`${path}?${new URLSearchParams(stay)}`), 403, 'forbidden')
  })
})

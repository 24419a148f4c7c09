import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openPropertyFixture, updateOf, terms } from '#test/channex-property.ts'
import { nights } from '#test/pms-fixture.ts'

suite('reading back', () => {
  test('a missing unit is null; a missing plan is omitted', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const stranger = { externalId: 'nobody', plans: [] }
    const linked = { ...unit!, plans: [...unit!.plans, { plan: 'lost', externalId: 'nobody' }, { plan: 'unlinked', externalId: null }] } // prettier-ignore
    const shown = await property.connection.readUnits([stranger, linked], nights(1, 2), {})
    assert.equal(shown.get('nobody'), null)
    assert.deepEqual(shown.get(unit!.externalId)!.rooms, [{ ...nights(1, 2), available: 0 }])
    assert.deepEqual(
      shown.get(unit!.externalId)!.rates.map(({ plan }) => plan),
      ['plan-0'],
    )
  })

  test('amounts are minor units of the currency, with any number of digits', async () => {
    for (const currency of ['JPY', 'EUR', 'KWD', 'HUF']) {
      await using property = await openPropertyFixture({ currency })
      const rates = [{ plan: 'plan-0', ...nights(1), ...terms, price_cents: 12_345, max_stay: 7 }]
      await property.connection.push([updateOf(property.units[0]!, { rates })], {})
      const shown = await property.connection.readUnits(property.units, nights(1), {})
      const { content, rates: read } = shown.get(property.units[0]!.externalId)!
      assert.deepEqual(read, rates)
      assert.equal(content.currency, currency.toLowerCase())
    }
  })

  test('an offered plan tells whether Channex keeps a price for each number of guests', async () => {
    await using property = await openPropertyFixture({ plans: 4 })
    const options = [1, 2].map((occupancy) => ({ occupancy, is_primary: occupancy === 2, rate: 9_000 }))
    for (const [at, fields] of [
      {},
      { options },
      { options, sell_mode: 'per_person' },
      { options, sell_mode: 'per_person', rate_mode: 'cascade' },
    ].entries()) {
      const id = property.units[0]!.plans[at]!.externalId
      const { status } = await property.api('PUT', `/rate_plans/${id}`, {
        rate_plan: { title: `${at}`, ...fields },
      })
      assert.equal(status, 200)
    }
    const [offer] = await property.connection.listOffers({})
    assert.deepEqual(
      offer!.rate_plans.map(({ name, hasPricesByGuests }) => [name, hasPricesByGuests]),
      [
        ['0', false],
        ['1', true],
        ['2', true],
        ['3', false],
      ],
    )
  })

  test('a long calendar of many plans is read in parts', async () => {
    await using property = await openPropertyFixture({ rooms: 40, plans: 5 })
    await property.noLimits()
    const [unit] = property.units
    const one = updateOf(unit!, { rooms: [{ ...nights(0, 498), available: 2 }] })
    await property.connection.push([one], {})
    await property.calls()
    const shown = await property.connection.readUnits([unit!], nights(0, 498), {})
    assert.deepEqual(shown.get(unit!.externalId)!.rooms, one.rooms)
    const reads = (await property.calls({ writes: false })).map(({ path }) => path)
    assert.equal(reads.filter((path) => path.includes('/availability?')).length, 3)
    assert.equal(reads.filter((path) => path.includes('/rate_plans?')).length, 3)
  })
})

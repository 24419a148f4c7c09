import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  assertAllAccepted,
  content,
  openPropertyFixture,
  terms,
  updateOf,
  type PropertyFixture,
} from '#test/channex-property.ts'
import { nights } from '#test/pms-fixture.ts'

const yen = { ...content, currency: 'jpy' }
const rates = [{ plan: 'plan-0', ...nights(2), ...terms, price_cents: 18_000 }]

async function shownBy(property: PropertyFixture) {
  const [unit] = property.units
  const shown = (await property.connection.readUnits([unit!], nights(2), {})).get(unit!.externalId)!
  return { currency: shown.content.currency, price: shown.rates[0]?.price_cents }
}

suite('currency', () => {
  test('a changed one changes that of the linked plans, whose prices keep their amounts', async () => {
    await using property = await openPropertyFixture({ rooms: 2 })
    const [unit, other] = property.units
    const one = updateOf(unit!, { changedFields: 'all', rates, content: yen })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    assert.deepEqual(await shownBy(property), { currency: 'jpy', price: 18_000 })
    const plansOf = Object.fromEntries(
      (await property.connection.listOffers({})).map(({ external_id, rate_plans }) => [
        external_id,
        rate_plans,
      ]),
    )
    assert.equal(plansOf[unit!.externalId]![0]!.currency, 'jpy')
    assert.equal(plansOf[other!.externalId]![0]!.currency, 'eur')
  })

  test('a plan in another currency than its unit is read back, and corrected', async () => {
    await using property = await openPropertyFixture({ currency: 'JPY' })
    const [unit] = property.units
    const plan = unit!.plans[0]!.externalId!
    await property.api('PUT', `/rate_plans/${plan}`, { rate_plan: { currency: 'EUR' } })
    const one = updateOf(unit!, { rates, content: yen })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    assert.deepEqual(await shownBy(property), { currency: 'eur', price: 18_000 })
    const repair = updateOf(unit!, { changedFields: ['currency'], content: yen })
    assertAllAccepted(await property.connection.push([repair], {}), [repair])
    assert.deepEqual(await shownBy(property), { currency: 'jpy', price: 18_000 })
  })

  test('a plan whose currency Channex does not change fails the unit', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const external_id = unit!.plans[0]!.externalId
    await property.fault({ mode: 'refuse', status: 422, external_id, method: 'PUT' })
    const one = updateOf(unit!, { changedFields: 'all', content: yen })
    const result = (await property.connection.push([one], {})).get(one.id)!
    assert.deepEqual([result.contentAccepted, result.failure?.code], [false, 'validation_rejected'])
  })
})

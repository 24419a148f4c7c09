import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  assertShows,
  byNight,
  content,
  supported,
  nights,
  buildUpdate,
  photo,
  pushAll,
  ratesOf,
  readOne,
  terms,
  type PmsFixture,
} from '#test/pms-fixture.ts'
import { pmsFixtures } from '#test/pms-fixtures.ts'
import type { UnitUpdate, PmsConnection, RemoteUnit, UnitLink } from './pms.ts'

/** What every provider must do, without faults. */

for (const [name, open] of Object.entries(pmsFixtures))
  suite(name, () => {
    let bench: PmsFixture
    let pms: PmsConnection
    let units: readonly UnitLink[]
    before(async () => {
      bench = await open()
      pms = bench.connect()
      units = bench.units
    })
    after(() => bench[Symbol.asyncDispose]())

    const term = (given: Parameters<typeof supported>[1]) => supported(bench.provider, given)
    /** A unit with every value, equal on all nights. */
    const plain = (unit: UnitLink, says: Partial<UnitUpdate> = {}) =>
      buildUpdate(unit, {
        rooms: [{ ...nights(1, 30), available: 4 }],
        rates: ratesOf(unit, (_, n) => ({
          ...nights(1, 30),
          ...term({ ...terms, price_cents: 10_000 * (n + 1) }),
        })),
        ...says,
      })

    test('the credentials are accepted', () => pms.checkAccess({}))

    test('a full push is read back equal', async () => {
      const sent = units.map((unit, n) =>
        plain(unit, {
          changedFields: 'all',
          content: {
            ...content,
            name: `Whole ${n}`,
            ...{ photos: [photo(n, 0), photo(n, 1)], space: { ...content.space, photos: [photo(99, 0)] } },
          },
          rooms: [
            { ...nights(1, 9), available: n % 5 },
            { ...nights(10, 30), available: 4 },
          ],
          rates: unit.plans.flatMap(({ plan }, p) => [
            { plan, ...nights(1, 3), ...term({ ...terms, price_cents: 10_000 + n * 100 + p }) },
            { plan, ...nights(4, 8), ...term({ ...terms, max_stay: 7, closed_to_arrival: true }) },
            { plan, ...nights(9, 30), ...term({ ...terms, min_stay_arrival: 3, closed_to_departure: true }) },
          ]),
        }),
      )
      await pushAll(pms, sent)
      const shown = await pms.readUnits(units, nights(1, 30), {})
      assert.deepEqual([...shown.keys()].sort(), units.map(({ externalId }) => externalId).sort())
      for (const one of sent) {
        const { [one.externalId]: unit } = Object.fromEntries(shown)
        assert.ok(unit)
        assert.deepEqual(byNight(unit), byNight(one))
        assertContent(bench, unit.content, one.content)
      }
    })

    test('only what is named changes', async () => {
      await pushAll(
        pms,
        units.map((unit) => plain(unit)),
      )
      const before = await pms.readUnits(units, nights(1, 40), {})
      const [unit, ...others] = units
      const rates = [{ plan: unit!.plans.at(-1)!.plan, ...nights(5, 6), price_cents: 77_700 }]
      await pushAll(pms, [buildUpdate(unit!, { rates })])
      const after = await pms.readUnits(units, nights(1, 40), {})
      for (const { externalId } of others) assert.deepEqual(after.get(externalId), before.get(externalId))
      const expected = byNight(before.get(unit!.externalId)!)
      for (const [night, values] of Object.entries(byNight({ rooms: [], rates })))
        expected[night] = { ...expected[night], ...values }
      assert.deepEqual(byNight(after.get(unit!.externalId)!), expected)
    })

    test('only the plans that are linked are shown', async () => {
      const unit = units[1]!
      await pushAll(pms, [plain(unit)])
      const { rates } = await readOne(pms, { ...unit, plans: unit.plans.slice(1) })
      const linked = unit.plans.slice(1).map(({ plan }) => plan)
      assert.deepEqual([...new Set(rates.map(({ plan }) => plan))], linked)
    })

    test('the first and the last night of a range are in it, and their neighbours are not', async () => {
      const unit = units[1]!
      await pushAll(pms, [plain(unit)])
      const rooms = [{ ...nights(10, 12), available: 1 }]
      const rates = ratesOf(unit, () => ({ ...nights(11, 12), price_cents: 500 }))
      await pushAll(pms, [buildUpdate(unit, { rooms, rates })])
      const shown = await readOne(pms, unit, nights(9, 13))
      assertShows(shown, { rooms, rates })
      assertShows(shown, {
        rooms: [9, 13].map((at) => ({ ...nights(at), available: 4 })),
        rates: unit.plans.flatMap(({ plan }, n) =>
          [10, 13].map((at) => ({ plan, ...nights(at), price_cents: 10_000 * (n + 1) })),
        ),
      })
    })

    test('a night that is closed and opened again is as it was', async () => {
      const unit = units[2]!
      await pushAll(pms, [plain(unit)])
      const before = await readOne(pms, unit, nights(1, 30))
      const closed = {
        rooms: [{ ...nights(7, 9), available: 0 }],
        rates: ratesOf(unit, () => ({
          ...nights(7, 9),
          ...term({ stop_sell: true, closed_to_arrival: true }),
        })),
      }
      await pushAll(pms, [buildUpdate(unit, closed)])
      assertShows(await readOne(pms, unit), closed)
      await pushAll(pms, [
        buildUpdate(unit, {
          rooms: [{ ...nights(7, 9), available: 4 }],
          rates: ratesOf(unit, () => ({
            ...nights(7, 9),
            ...term({ stop_sell: false, closed_to_arrival: false }),
          })),
        }),
      ])
      assert.deepEqual(byNight(await readOne(pms, unit, nights(1, 30))), byNight(before))
    })

    test('a year and a half with other values each week is read back equal', async () => {
      const weeks = Array.from({ length: 72 }, (_, week) => nights(1 + week * 7, Math.min(499, 7 + week * 7)))
      const sent = units.slice(0, 2).map((unit, n) =>
        buildUpdate(unit, {
          rooms: weeks.map((week, w) => ({ ...week, available: (w + n) % 5 })),
          rates: unit.plans.flatMap(({ plan }, p) =>
            weeks.map((week, w) => ({
              plan,
              ...week,
              ...term({
                ...terms,
                price_cents: 9_000 + w * 10 + p + n,
                max_stay: w % 3 === 0 ? null : w + 7,
              }),
            })),
          ),
        }),
      )
      await pushAll(pms, sent)
      const shown = await pms.readUnits(units.slice(0, 2), nights(1, 499), {})
      for (const one of sent)
        assert.deepEqual(byNight(shown.get(one.externalId)!), byNight(one), one.externalId)
    })

    test('terms that it does not hold count as taken and are never shown', async () => {
      const unit = units[3]!
      await pushAll(pms, [
        buildUpdate(unit, { rates: ratesOf(unit, () => ({ ...nights(1, 5), ...terms, stop_sell: true })) }),
      ])
      const values = Object.values(byNight(await readOne(pms, unit, nights(1, 5))))
      for (const name of values.flatMap(Object.keys))
        assert.ok(name === 'available' || bench.provider.terms.includes(name as never), name)
    })

    test('different content is changed in place, however often it is sent', async () => {
      const unit = units[0]!
      const changedFields = ['name'] as const
      const named = (name: string) => buildUpdate(unit, { content: { ...content, name }, changedFields })
      await pushAll(pms, [buildUpdate(unit, { changedFields: 'all' })])
      const ids = idsOf(await pms.listOffers({}))
      const before = await readOne(pms, unit, nights(1))
      for (const name of ['Blue', 'Blue', 'Red']) await pushAll(pms, [named(name)])
      const after = await readOne(pms, unit, nights(1))
      assert.deepEqual(after, { ...before, content: { ...before.content, name: 'Red' } })
      assert.deepEqual(idsOf(await pms.listOffers({})), ids)
    })

    test('it offers every unit that it has, by the ids that links have', async () => {
      const offers = await pms.listOffers({})
      for (const { externalId, plans } of units) {
        const offer = offers.find(({ external_id: id }) => id === externalId)
        assert.ok(offer && offer.name !== '' && offer.active)
        const offered = new Set(offer.rate_plans.map(({ external_id: id }) => id))
        // Where plans are names and no more, none is offered.
        if (offered.size > 0) for (const { externalId: id } of plans) assert.ok(id && offered.has(id))
      }
    })

    test('a unit is created once, with its plans, and then accepts every value', async () => {
      const plans = units[0]!.plans.map(({ plan }, n) => ({ plan, name: `Plan ${n}`, isDefault: n === 0 }))
      const draft = {
        content: { ...content, name: 'New loft', quantity: 1 },
        plans,
        linkedIds: units.map(({ externalId }) => externalId),
        idempotencyKey: 'draft',
      }
      const made = await pms.createUnit(draft, {})
      assert.ok(!draft.linkedIds.includes(made.externalId))
      assert.deepEqual(
        made.plans.map(({ plan }) => plan),
        plans.map(({ plan }) => plan),
      )
      assert.equal(new Set(made.plans.map(({ externalId }) => externalId)).size, plans.length)
      assert.deepEqual(await pms.createUnit(draft, {}), made)
      const sent = plain(made, {
        content: draft.content,
        changedFields: 'all',
        rooms: [{ ...nights(1, 30), available: 1 }],
      })
      await pushAll(pms, [sent])
      assertShows(await readOne(pms, made), sent)
      const another = await pms.createUnit({ ...draft, linkedIds: [...draft.linkedIds, made.externalId] }, {})
      assert.notEqual(another.externalId, made.externalId)
    })

    test('an empty update causes no call', async () => {
      await pushAll(pms, [buildUpdate(units[0]!)])
      assert.equal((await pms.push([], {})).size, 0)
    })
  })

function idsOf(offers: Awaited<ReturnType<PmsConnection['listOffers']>>) {
  return offers.map(({ external_id: id, rate_plans }) => [id, ...rate_plans.map((plan) => plan.external_id)])
}

/** Every member that the provider stores and shows is the one that was sent. */
function assertContent({ provider }: PmsFixture, shown: RemoteUnit['content'], sent: UnitUpdate['content']) {
  const { space, ...members } = shown
  for (const [name, value] of Object.entries(members)) {
    assert.ok(provider.contentFields.includes(name as never), name)
    assert.deepEqual(value, sent[name as keyof typeof sent], name)
  }
  assert.ok('name' in members)
  for (const [name, value] of Object.entries(space ?? {}))
    assert.deepEqual(value, sent.space[name as keyof typeof sent.space], `space.${name}`)
}

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  assertAllAccepted,
  availabilityUpdate,
  content,
  onlyResult,
  openPropertyFixture,
  updateOf,
} from '#test/channex-property.ts'
import { nights } from '#test/pms-fixture.ts'
import type { NewUnit } from '../pms.ts'

suite('content', () => {
  test('is sent to the property and the room type, after the calendar', async () => {
    await using property = await openPropertyFixture()
    const one = availabilityUpdate(property.units[0]!, 2, { changedFields: 'all' })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const calls = await property.calls()
    assert.deepEqual(
      calls.map(({ method, path }) => [method, path]),
      [
        ['POST', '/api/v1/availability'],
        ['PUT', `/api/v1/properties/${property.propertyId}`],
        ['PUT', `/api/v1/room_types/${one.externalId}`],
      ],
    )
    const shown = (await property.connection.readUnits(property.units, nights(1), {})).get(one.externalId)!
    const { amenities: _, ...space } = content.space
    const { name, max_guests, quantity, currency } = content
    assert.deepEqual(shown.content, {
      name,
      max_guests,
      quantity,
      currency,
      photos: [],
      space: { ...space, photos: [] },
    })
    const { attributes } = (await property.api('GET', `/properties/${property.propertyId}`)).body.data
    assert.deepEqual([attributes.currency, attributes.zip_code], ['EUR', '2000'])
  })

  test('that is equal is not sent again, and ids stay', async () => {
    await using property = await openPropertyFixture({ rooms: 3, plans: 2 })
    const updates = property.units.map((unit, n) =>
      updateOf(unit, { changedFields: 'all', content: { ...content, name: `Loft ${n}` } }),
    )
    assertAllAccepted(await property.connection.push(updates, {}), updates)
    const ids = (await property.connection.listOffers({})).map(({ external_id, rate_plans }) => [
      external_id,
      rate_plans,
    ])
    assert.equal((await property.calls()).length, 4)
    for (let again = 0; again < 2; again += 1) {
      assertAllAccepted(await property.connection.push(updates, {}), updates)
      assert.deepEqual(await property.calls(), [])
    }
    assert.deepEqual(
      (await property.connection.listOffers({})).map(({ external_id, rate_plans }) => [
        external_id,
        rate_plans,
      ]),
      ids,
    )
  })

  test('keeps fields that we do not manage', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const path = `/room_types/${unit!.externalId}`
    const before = { occ_adults: 6, occ_children: 2, occ_infants: 1, default_occupancy: 2 }
    const photos = [{ url: 'https://photos.example/1.jpg' }]
    await property.api('PUT', path, { room_type: { ...before, content: { description: 'Large.', photos } } })
    await property.api('PUT', `/properties/${property.propertyId}`, { property: { content: { photos } } })
    const desired = { ...content, max_guests: 4, space: { ...content.space, description: 'By the sea.' } }
    const one = updateOf(unit!, { changedFields: 'all', content: desired })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const room = (await property.api('GET', path)).body.data.attributes
    assert.deepEqual(
      [room.occ_adults, room.occ_children, room.occ_infants, room.default_occupancy],
      [4, 2, 1, 2],
    )
    assert.deepEqual([room.content.description, room.content.photos.length], ['Large.', 1])
    const atChannex = (await property.api('GET', `/properties/${property.propertyId}`)).body.data.attributes
    assert.deepEqual([atChannex.content.description, atChannex.content.photos.length], ['By the sea.', 1])
  })

  test('keeps the default occupancy, and lowers it for fewer guests', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    for (const [max_guests, usual] of [
      [7, 2],
      [1, 1],
    ]) {
      // prettier-ignore
      const one = updateOf(unit!, { changedFields: ['max_guests'], content: { ...content, max_guests: max_guests! } })
      await property.connection.push([one], {})
      const { attributes } = (await property.api('GET', `/room_types/${unit!.externalId}`)).body.data
      assert.deepEqual([attributes.occ_adults, attributes.default_occupancy], [max_guests, usual])
    }
  })

  test('is sent only where it differs: once to the property, or to one room type', async () => {
    await using property = await openPropertyFixture({ rooms: 3 })
    const moved = { ...content, space: { ...content.space, city: 'Ghent' } }
    const updates = property.units.map((unit) => updateOf(unit, { changedFields: ['space'], content: moved }))
    assertAllAccepted(await property.connection.push(updates, {}), updates)
    assert.deepEqual((await property.calls()).map(({ path }) => path), [`/api/v1/properties/${property.propertyId}`]) // prettier-ignore
    const renamed = updateOf(property.units[1]!, { changedFields: ['name', 'bedrooms'] })
    assertAllAccepted(await property.connection.push([renamed], {}), [renamed])
    assert.deepEqual((await property.calls()).map(({ path }) => path), [`/api/v1/room_types/${renamed.externalId}`]) // prettier-ignore
  })

  test('that is refused for one room type is accepted for the others', async () => {
    await using property = await openPropertyFixture({ rooms: 3 })
    const updates = property.units.map((unit, n) =>
      availabilityUpdate(unit, 2, {
        changedFields: ['name'],
        content: { ...content, name: n === 1 ? 'x'.repeat(256) : 'Fine' },
      }),
    )
    const deliveries = await property.connection.push(updates, {})
    const outcomes = updates.map(({ id }) => deliveries.get(id)!)
    assert.deepEqual(outcomes.map(({ contentAccepted }) => contentAccepted), [true, false, true]) // prettier-ignore
    assert.deepEqual(outcomes.map(({ failure }) => failure?.code), [undefined, 'validation_rejected', undefined]) // prettier-ignore
    assert.match(outcomes[1]!.failure!.message, /title should be at most 255/)
    assert.deepEqual(outcomes[1]!.acceptedRooms, updates[1]!.rooms)
  })

  test('of a missing room type is a mapping error', async () => {
    await using property = await openPropertyFixture()
    const one = updateOf({ externalId: 'nobody', plans: [] }, { changedFields: 'all' })
    const { failure, contentAccepted } = onlyResult(await property.connection.push([one], {}))
    assert.deepEqual([failure!.code, contentAccepted], ['mapping_not_found', false])
  })
})

suite('rooms to link', () => {
  test('are all room types with their plans, on all pages', async () => {
    await using property = await openPropertyFixture({ rooms: 105, plans: 2 })
    const offers = await property.connection.listOffers({})
    assert.deepEqual(
      new Set(offers.map(({ external_id }) => external_id)),
      new Set(property.units.map(({ externalId }) => externalId)),
    )
    const offer = offers.find(({ external_id }) => external_id === property.units[104]!.externalId)!
    const { rate_plans, external_id: _, ...rest } = offer
    assert.deepEqual(rest, { name: 'Room 104', max_guests: 2, quantity: 5, currency: 'eur', active: true })
    assert.deepEqual(rate_plans.map(({ name, currency }) => [name, currency]), [['Plan 104.0', 'eur'], ['Plan 104.1', 'eur']]) // prettier-ignore
    assert.deepEqual(new Set(rate_plans.map(({ external_id }) => external_id)), new Set(property.units[104]!.plans.map(({ externalId }) => externalId))) // prettier-ignore
  })
})

suite('a created unit', () => {
  const draft = (says: Partial<NewUnit> = {}): NewUnit => ({
    content: { ...content, name: 'Garden Suite', max_guests: 3, quantity: 2 },
    plans: [
      { plan: 'ours-1', name: 'Flexible', isDefault: true },
      { plan: 'ours-2', name: 'Non-refundable', isDefault: false },
    ],
    linkedIds: [],
    idempotencyKey: 'once',
    ...says,
  })

  test('is a room type without available rooms, with its plans', async () => {
    await using property = await openPropertyFixture({ rooms: 0 })
    const link = await property.connection.createUnit(draft(), {})
    assert.deepEqual(link.plans.map(({ plan }) => plan), ['ours-1', 'ours-2']) // prettier-ignore
    const room = (await property.api('GET', `/room_types/${link.externalId}`)).body.data.attributes
    assert.deepEqual(
      [room.title, room.count_of_rooms, room.occ_adults, room.default_occupancy],
      ['Garden Suite', 2, 3, 3],
    )
    const plan = (await property.api('GET', `/rate_plans/${link.plans[0]!.externalId}`)).body.data.attributes
    assert.deepEqual(
      [plan.title, plan.currency, plan.sell_mode, plan.rate_mode],
      ['Garden Suite – Flexible', 'EUR', 'per_room', 'manual'],
    )
    assert.equal(plan.options.length, 1)
    const [{ occupancy, is_primary, rate }] = plan.options
    assert.deepEqual([occupancy, is_primary, rate], [3, true, '189.00'])
    const shown = (await property.connection.readUnits([link], nights(1, 3), {})).get(link.externalId)!
    assert.deepEqual(shown.rooms, [{ ...nights(1, 3), available: 0 }])
    const one = availabilityUpdate({ ...link }, 2, {
      rates: [{ plan: 'ours-2', ...nights(2), price_cents: 1 }],
    })
    assertAllAccepted(await property.connection.push([one], {}), [one])
  })

  test('is created once, whichever response was lost', async () => {
    await using property = await openPropertyFixture({ rooms: 0 })
    for (const lost of [1, 2, 3]) {
      const name = `Suite ${lost}`
      const made = draft({ content: { ...draft().content, name } })
      const { rateLimiter } = losing(lost)
      await assert.rejects(property.connection.createUnit(made, { rateLimiter }), { code: 'network' })
      await property.noFaults()
      const link = await property.connection.createUnit(made, {})
      assert.deepEqual(await property.connection.createUnit(made, {}), link)
      const offers = (await property.connection.listOffers({})).filter((offer) => offer.name === name)
      assert.equal(offers.length, 1)
      assert.equal(offers[0]!.external_id, link.externalId)
      assert.deepEqual(
        new Set(offers[0]!.rate_plans.map(({ external_id }) => external_id)),
        new Set(link.plans.map(({ externalId }) => externalId)),
      )
    }

    /** A rate limiter behind which the answer to the nth call that writes is lost. */
    function losing(nth: number) {
      // Rooms are listed, one is made, plans are listed, two are made.
      const call = [2, 4, 5][nth - 1]
      let passed = 0
      const rateLimiter = {
        async acquire() {
          passed += 1
          if (passed === call) await property.fault({ mode: 'lose_reply', times: 1 })
        },
        recordResponse: () => {},
        recordFailure: () => {},
      }
      return { rateLimiter }
    }
  })

  test('is never one of another listing; plans with equal names get a number', async () => {
    await using property = await openPropertyFixture({ rooms: 0 })
    const first = await property.connection.createUnit(draft(), {})
    const taken = [first.externalId, ...first.plans.map(({ externalId }) => externalId!)]
    const second = await property.connection.createUnit(draft({ linkedIds: taken }), {})
    assert.notEqual(second.externalId, first.externalId)
    for (const { externalId } of second.plans) assert.ok(!taken.includes(externalId!))
    const plan = (await property.api('GET', `/rate_plans/${second.plans[0]!.externalId}`)).body.data
      .attributes
    assert.equal(plan.title, 'Garden Suite – Flexible (2)')
    assert.deepEqual(await property.connection.createUnit(draft({ linkedIds: taken }), {}), second)
  })

  test('has two plans for two with equal names', async () => {
    await using property = await openPropertyFixture({ rooms: 0 })
    const plans = ['a', 'b'].map((plan) => ({ plan, name: 'Flexible', isDefault: plan === 'a' }))
    const link = await property.connection.createUnit(draft({ plans }), {})
    assert.equal(new Set(link.plans.map(({ externalId }) => externalId)).size, 2)
    assert.deepEqual(await property.connection.createUnit(draft({ plans }), {}), link)
  })
})

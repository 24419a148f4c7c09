import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addUnit, unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

const path = '/api/v1/units'

suite('units: many at once', () => {
  test('each is changed or says why not', async () => {
    const [one, floor] = [
      await addUnit(owner),
      await addUnit(owner, { min_price_cents: 9_000, base_price_cents: 9_900 }),
    ]
    const theirs = await addUnit(await world.away.as('owner'))
    const unit_ids = [one.id, floor.id, unknownId, theirs.id]
    const reply = await owner.patch(path, { unit_ids, changes: { base_price_cents: 8_000, max_guests: 5 } })
    const { results, ...counts } = expectStatus(reply, 200)
    assert.deepEqual(counts, { succeeded: 1, failed: 3 })
    assert.deepEqual(
      results.map(({ id, result, status, problem }: Record<string, { code: string } | null>) => [
        ...[id, result, status, problem?.code ?? null],
      ]),
      [
        [one.id, 'succeeded', 'active', null],
        [floor.id, 'failed', null, 'price-below-minimum'],
        [unknownId, 'failed', null, 'not-found'],
        [theirs.id, 'failed', null, 'not-found'],
      ],
    )
    const read = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).unit
    const [changed, kept] = [await read(one.id), await read(floor.id)]
    assert.deepEqual([changed.base_price_cents, changed.max_guests], [8_000, 5])
    assert.deepEqual([kept.base_price_cents, kept.max_guests], [9_900, floor.max_guests])
  })

  test('at most 500 units, and something to change; readers may not', async () => {
    const unit = await addUnit(owner)
    const many = Array.from({ length: 501 }, () => crypto.randomUUID())
    const changes = { max_guests: 3 }
    const refused = async (body: object, pointer: string) =>
      expectProblem(await owner.patch(path, body), 400, 'validation-error', pointer)
    await refused({ unit_ids: many, changes }, '/unit_ids')
    await refused({ unit_ids: [unit.id], changes: {} }, '/changes')
    const viewer = await world.home.as('viewer')
    expectProblem(await viewer.patch(path, { unit_ids: [unit.id], changes }), 403, 'forbidden')
  })
})

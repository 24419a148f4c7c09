import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addSpace, addUnit, systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { findUnitByReference, listUnitsNamed } from './find-units.ts'

const { world, owner } = shareWorld()

suite('the units that a row may mean', () => {
  test('have exactly this name, or else the same in other letters', async () => {
    const [harbour, hill] = await Promise.all(['Harbour', 'Hill'].map((name) => addSpace(owner, { name })))
    const [cabin, shouted] = await Promise.all([
      addUnit(owner, { name: 'Cabin', space_id: harbour.id }),
      addUnit(owner, { name: 'CABIN', space_id: hill.id }),
    ])
    const idsOf = async (unit: string, space?: string) =>
      (await listUnitsNamed(systemScope(world, world.home), { unit, space })).map(({ id }) => id)
    assert.deepEqual(await idsOf('Cabin'), [cabin.id])
    assert.deepEqual(await idsOf('CABIN'), [shouted.id])
    assert.deepEqual(await idsOf('cabin'), [cabin.id, shouted.id].sort())
    assert.deepEqual(await idsOf('cabin', 'hill'), [shouted.id])
    assert.deepEqual(await idsOf('Cabin', 'hill'), [shouted.id])
    assert.deepEqual(await idsOf(cabin.id), [cabin.id])
    assert.deepEqual(await idsOf('Cabin', 'nowhere'), [])
    const known = await findUnitByReference(systemScope(world, world.home), cabin.id)
    assert.deepEqual(known, { id: cabin.id })
  })
})

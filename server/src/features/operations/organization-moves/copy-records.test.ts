import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addBooking, addPlan, addQuote, addSpace } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'
import { copyRecords } from './copy-records.ts'
import { movedTables } from './moved-tables.ts'

const { world: source } = shareWorld()
const { world: target } = shareWorld()
let owner: TestCaller
before(async () => (owner = await source.home.as('owner')))

const cellOf = ({ config, resources: { storage } }: World) => ({ config, storage })
const copy = () =>
  copyRecords(
    { orgId: source.home.id, source: cellOf(source), target: cellOf(target), progress: () => {} },
    movedTables,
  )
const readTable = (world: World, name: string) =>
  asOwner(world.config, (connection) =>
    connection.run(
      sql<{ row: { id: string } }>`
        select to_jsonb(stored) - 'transaction_id' - 'position' as row
        from ${sql.ref(name)} stored
        where ${sql.ref(name === 'organizations' ? 'id' : 'org_id')} = ${source.home.id}
        order by to_jsonb(stored) - 'transaction_id' - 'position'`,
    ),
  )
const assertEqual = async () => {
  assert.equal(await copy(), 0)
  for (const { name } of movedTables)
    assert.deepEqual(await readTable(target, name), await readTable(source, name), name)
}
/** Of a row that no test changes: a row that is written again is in another place. */
const placeThere = async () =>
  await asOwner(target.config, (connection) =>
    connection.run(sql`select ctid::text, xmin::text from accounts where org_id = ${source.home.id}`),
  )

suite('a copy that is repeated', () => {
  test('writes only what has changed', async () => {
    const plan = await addPlan(owner)
    const quote = await addQuote(owner, { unit_id: plan.unit_id, rate_plan_id: plan.id })
    const { id: changed } = await addSpace(owner)
    const { id: deleted } = await addSpace(owner)
    assert.ok((await copy()) > 5)
    await assertEqual()
    const place = await placeThere()

    await addSpace(owner)
    expectStatus(await owner.patch(`/api/v1/spaces/${changed}`, { name: 'Changed' }), 200)
    await asOwner(source.config, (connection) =>
      connection.run(sql`delete from spaces where id = ${deleted}`),
    )
    await addBooking(owner, { unitId: plan.unit_id, ratePlanId: plan.id, quoteId: quote.id })
    assert.ok((await copy()) > 4)
    await assertEqual()
    assert.deepEqual(await placeThere(), place)
  })

  test('writes everything when rows have exchanged what is unique', async () => {
    const first = await addPlan(owner)
    const other = await addPlan(owner, { unit_id: first.unit_id })
    await copy()
    const place = await placeThere()
    const rename = async ({ id }: { id: string }, name: string) =>
      expectStatus(await owner.patch(`/api/v1/rate-plans/${id}`, { name }), 200)
    await rename(first, 'Free')
    await rename(other, first.name)
    await rename(first, other.name)
    await copy()
    await assertEqual()
    assert.notDeepEqual(await placeThere(), place)
  })
})

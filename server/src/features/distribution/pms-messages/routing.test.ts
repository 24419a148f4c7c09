import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

/** Which target gets a message that names none. No worker runs. */

const { world, owner } = shareWorld()
let pms: TestCaller
let database: Database
let number = 0

before(() => {
  pms = world.caller(null)
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const query = async <Row>(statement: Statement<Row>) =>
  (await database.pipelined({ orgId: null }, [statement]))[0]
const activate = (id: string) => query(sql`update channel_targets set status = 'active' where id = ${id}`)
const send = async (property_id: string) => {
  const message = { id: `evt_${++number}`, type: 'ping', property_id }
  expectStatus(await pms.post('/webhooks/pms', message), 200)
}
const countUnrouted = async () => (await query(sql`select from unrouted_webhooks`)).length
const countStored = async (id: string): Promise<number> =>
  expectStatus(await owner.get(`/api/v1/webhook-messages?channel_target_id=${id}`), 200).webhook_messages
    .length

suite('messages without a target', () => {
  test('go to the target with the property that they name when it is the only one', async () => {
    const property = 'PROPERTY-7'
    const target = await addTarget(owner, { config: { property_ref: property } })
    await send(property)
    assert.equal(await countStored(target.id), 0, 'a property of an unverified target is not matched')
    await activate(target.id)
    await send(property)
    assert.equal(await countStored(target.id), 1)
    const other = await addTarget(await world.away.as('owner'), { config: { property_ref: property } })
    await activate(other.id)
    const before = await countUnrouted()
    await send(property)
    assert.deepEqual([await countStored(target.id), await countUnrouted()], [1, before + 1])
  })

  test('go to the only target at the PMS of the installation before those with an address of their own', async () => {
    const config = { property_ref: 'PROPERTY-8' }
    const away = await world.away.as('owner')
    const ours = await addTarget(owner, { config })
    const elsewhere = await Promise.all(
      [1, 2].map((port) => addTarget(away, { config: { ...config, base_url: `http://127.0.0.1:${port}` } })),
    )
    await Promise.all(elsewhere.map(({ id }) => activate(id)))
    const before = await countUnrouted()
    await send(config.property_ref)
    assert.equal(await countUnrouted(), before + 1, 'one of two with addresses of their own')
    await activate(ours.id)
    await send(config.property_ref)
    assert.deepEqual([await countStored(ours.id), await countUnrouted()], [1, before + 1])
  })
})

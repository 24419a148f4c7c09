import assert from 'node:assert/strict'
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import { pageRequest } from '#http/paging.ts'
import { feedIsWhole } from '#test/events.ts'
import { expectStatus, ids } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/events'
const read = async (query: string) => {
  await feedIsWhole(world)
  return expectStatus(await owner.get(`${path}?limit=100&${query}`), 200) as {
    events: { id: string }[]
    next_cursor: string
  }
}

/** As an organization arrives from another cell: in the same order, before what follows. */
const renumber = () =>
  asOwner(world.config, (connection) =>
    connection.run(sql`
      update events event
      set transaction_id = '0', position = numbered.place
      from (
        select id, row_number() over (order by transaction_id, position) as place
        from events
        where org_id = ${world.home.id}
      ) numbered
      where event.org_id = ${world.home.id} and event.id = numbered.id`),
  )

suite('a cursor after events were numbered again', () => {
  test('continues after its event', async () => {
    await addSpace(owner, { name: 'One' })
    const { next_cursor: afterOne } = await read('')
    for (const name of ['Two', 'Three']) await addSpace(owner, { name })
    const { events: found } = await read(`after=${afterOne}`)
    const { next_cursor: afterAll } = await read('after=latest')
    await renumber()
    await addSpace(owner, { name: 'Four' })
    const { events: rest } = await read(`after=${afterOne}`)
    assert.equal(rest.length, found.length + 1)
    assert.deepEqual(ids(rest).slice(0, -1), ids(found))
    assert.deepEqual(ids((await read(`after=${afterAll}`)).events), ids(rest).slice(-1))
  })

  test('of an earlier release misses nothing: it begins with the oldest event', async () => {
    const keys = world.config.secrets.keys.map(({ bytes }) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', 'cursor', 32))),
    ) as [KeyObject]
    const request = { query: {}, scope: { orgId: world.home.id }, routeOptions: { url: path } }
    const { events: all } = await read('')
    const cursor = pageRequest(request, keys).cursorAt('5', '1')
    assert.deepEqual(ids((await read(`after=${cursor}`)).events), ids(all))
  })
})

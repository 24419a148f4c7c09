import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Reply } from './caller.ts'
import { expectProblem, expectStatus } from './expect.ts'
import { addAccount, addListing, addSpace, addTarget, addUnit } from './records.ts'
import { shareWorld } from './share-world.ts'
import { openWorld } from './world.ts'

// Two concurrent requests: each gets a correct response, and the stored records are consistent.

const { world, owner } = shareWorld()

const rounds = 12

/** Both succeeded in some order, or one was refused with one of these statuses. */
function expectSettled(replies: Reply[], ...refusals: string[]) {
  for (const reply of replies)
    if (reply.status >= 300) {
      assert.ok(refusals.includes(reply.body?.code), `${reply.status} ${reply.text}`)
      expectProblem(reply, reply.status, reply.body.code)
    }
}

const exists = async (path: string) => (await owner.get(path)).status === 200

suite('races: records that depend on each other', () => {
  test('a space is deleted while a unit is put into it: one of both, never an orphan', async () => {
    for (let round = 0; round < rounds; round++) {
      const { id } = await addSpace(owner)
      const [gone, made] = await Promise.all([
        owner.delete(`/api/v1/spaces/${id}`),
        owner.post('/api/v1/units', { space_id: id, name: 'n', base_price_cents: 1 }),
      ])
      expectSettled([gone, made], 'resource-in-use', 'reference-not-found')
      assert.notEqual(gone.status === 204, made.status === 201)
      assert.equal(await exists(`/api/v1/spaces/${id}`), made.status === 201)
    }
  })

  test('a unit or a target is deleted while they are linked', async () => {
    for (let round = 0; round < rounds; round++) {
      const unit = await addUnit(owner)
      const target = await addTarget(owner)
      const link = { unit_id: unit.id, channel_target_id: target.id, external_id: 'x' }
      const victim = round % 2 ? `/api/v1/units/${unit.id}` : `/api/v1/channel-targets/${target.id}`
      const [gone, made] = await Promise.all([
        owner.delete(victim),
        owner.post('/api/v1/channel-listings', link),
      ])
      expectSettled([gone, made], 'resource-in-use', 'reference-not-found')
      assert.notEqual(gone.status === 204, made.status === 201)
    }
  })

  test('a listing is unlinked while its unit, space and target change', async () => {
    for (let round = 0; round < rounds; round++) {
      const listing = await addListing(owner)
      const { unit, channel_target: target } = listing
      const replies = await Promise.all([
        owner.patch(`/api/v1/units/${unit.id}`, { base_price_cents: round }),
        owner.delete(`/api/v1/channel-listings/${listing.id}`),
        owner.patch(`/api/v1/spaces/${unit.space_id}`, { city: `City ${round}` }),
        owner.put(`/api/v1/channel-targets/${target.id}`, { ...target, name: `T ${round}` }),
        owner.put(`/api/v1/channel-listings/${listing.id}`, { ...listing, external_id: `moved ${round}` }),
        owner.post('/api/v1/sync/trigger', { channel_listing_id: listing.id }),
      ])
      expectSettled(replies, 'not-found', 'conflict')
      assert.equal(replies[1].status, 204)
      assert.equal(await exists(`/api/v1/channel-listings/${listing.id}`), false)
    }
  })

  test('a space changes accounts while units are added to it and moved out of it', async () => {
    const second = await addAccount(world, world.home.id, 'Second')
    for (let round = 0; round < rounds; round++) {
      const from = await addSpace(owner)
      const to = await addSpace(owner)
      const unit = await addUnit(owner, { space_id: from.id })
      const replies = await Promise.all([
        owner.patch(`/api/v1/spaces/${from.id}`, { account_id: second }),
        owner.post('/api/v1/units', { space_id: from.id, name: 'n', base_price_cents: 1 }),
        owner.patch(`/api/v1/units/${unit.id}`, { space_id: to.id }),
        owner.patch(`/api/v1/units/${unit.id}`, { max_guests: 7 }),
      ])
      expectSettled(replies, 'conflict', 'semantic-error', 'resource-in-use')
      for (const space of [from, to]) {
        const { units } = expectStatus(await owner.get(`/api/v1/units?space_id=${space.id}`), 200)
        for (const one of units) assert.equal(one.account_id, one.space.account_id)
      }
    }
  })
})

suite('races: a single record', () => {
  test('concurrent changes of different members are all kept', async () => {
    const unit = await addUnit(owner)
    const path = `/api/v1/units/${unit.id}`
    const changes = {
      name: 'N',
      bedrooms: 9,
      bathrooms: 4.5,
      max_guests: 8,
      base_price_cents: 77,
      quantity: 6,
    }
    const replies = await Promise.all(
      Object.entries(changes).map(([name, value]) => owner.patch(path, { [name]: value })),
    )
    expectSettled(replies)
    const last = await owner.get(path)
    assert.deepEqual({ ...expectStatus(last, 200).unit, ...changes }, last.body.unit)
    assert.equal(new Set(replies.map(({ headers }) => headers.get('etag'))).size, 6)
  })

  test('two listings that swap their external ids are refused, not crossed', async () => {
    const first = await addListing(owner)
    const second = await addListing(owner, { channel_target_id: first.channel_target_id })
    const path = '/api/v1/channel-listings'
    for (let round = 0; round < rounds; round++) {
      const replies = await Promise.all([
        owner.put(`${path}/${first.id}`, { ...first, external_id: second.external_id }),
        owner.put(`${path}/${second.id}`, { ...second, external_id: first.external_id }),
      ])
      for (const reply of replies) expectProblem(reply, 409, 'duplicate-mapping')
    }
  })

  test('of two concurrent deletions one succeeds', async () => {
    for (let round = 0; round < rounds; round++) {
      const { id } = await addSpace(owner)
      const replies = await Promise.all([1, 2, 3].map(() => owner.delete(`/api/v1/spaces/${id}`)))
      expectSettled(replies, 'not-found')
      assert.equal(replies.filter(({ status }) => status === 204).length, 1)
    }
  })

  test('returns 409 for a change that waits too long for another one', async () => {
    await using hasty = await openWorld({ env: { DATABASE_TIMEOUT_MS: '5000' } })
    const caller = await hasty.home.as('owner')
    const unit = await addUnit(caller)
    const { database } = hasty.resources
    await database.transaction({ orgId: hasty.home.id }, async ({ run }) => {
      await run(sql`select from units where id = ${unit.id} for update`)
      expectProblem(await caller.patch(`/api/v1/units/${unit.id}`, { name: 'N' }), 409, 'conflict')
    })
  })
})

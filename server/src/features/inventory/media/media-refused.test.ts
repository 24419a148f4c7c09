import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { enqueueRemovals } from './jobs.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace, addUnit, unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { addMedia, filesOf, noise, picture, upload } from '#test/uploads.ts'
import { shareWorld } from '#test/share-world.ts'
import { openWorld } from '#test/world.ts'

const { world, owner, stranger } = shareWorld({ workers: true })

suite('media: errors', () => {
  test('rejects an unknown, foreign or archived property, and a unit of another property', async () => {
    const file = await picture()
    const [unit, other] = [await addUnit(owner), await addUnit(owner)]
    const theirs = await addUnit(stranger)
    for (const id of [unknownId, theirs.space_id])
      expectProblem(await upload(owner, id, file), 404, 'not-found')
    expectProblem(await upload(owner, 'x', file), 400, 'validation-error')
    for (const unit_id of [unknownId, theirs.id])
      expectProblem(
        await upload(owner, unit.space_id, file, { unit_id }),
        422,
        'reference-not-found',
        '/unit_id',
      )
    expectProblem(
      await upload(owner, unit.space_id, file, { unit_id: other.id }),
      422,
      'semantic-error',
      '/unit_id',
    )
    const archived = await addSpace(owner, { status: 'inactive' })
    await owner.patch(`/api/v1/spaces/${archived.id}`, { status: 'archived' })
    expectProblem(await upload(owner, archived.id, file), 409, 'resource-archived')
    const viewer = await world.home.as('viewer')
    expectProblem(await upload(viewer, unit.space_id, file), 403, 'forbidden')
    const media = await addMedia(stranger, theirs.space_id)
    for (const reply of [
      await owner.get(`/api/v1/media/${media.id}`),
      await owner.patch(`/api/v1/media/${media.id}`, { position: 0 }),
      await owner.delete(`/api/v1/media/${media.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
  })

  test('shortens the name of an unknown field in the error', async () => {
    const space = await addSpace(owner)
    for (const [name, shown, pointer] of [
      ['a\0b', 'a\ufffdb', '/a\ufffdb'],
      ['a/b~c', 'a/b~c', '/a~1b~0c'],
    ] as const) {
      const reply = await upload(owner, space.id, null, { [name]: 'x' })
      expectProblem(reply, 400, 'validation-error', pointer)
      assert.equal(reply.body.detail, `${shown} is not a member of an upload.`)
    }
  })

  test('rejects files beyond the storage quota, also with concurrent uploads', async () => {
    await using small = await openWorld({ env: { MEDIA_QUOTA_MB: '1' } })
    const caller = await small.home.as('owner')
    const space = await addSpace(caller)
    const file = await noise(500, 400).jpeg({ quality: 90 }).toBuffer()
    const replies = await Promise.all(Array.from({ length: 12 }, () => upload(caller, space.id, file)))
    const kept = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status !== 200)
    assert.ok(kept.length > 0 && refused.length > 0, `${kept.length} kept, ${refused.length} refused`)
    for (const reply of refused) expectProblem(reply, 409, 'quota-exceeded')
    const bytes = kept.flatMap(({ body }) => [body.media, ...body.media.renditions])
    const used = bytes.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    assert.ok(used <= 1_048_576, `${used} bytes`)
    assert.equal((await filesOf(small)).stored.length, kept.length * 4)
  })

  test('the scheduler removes files of deleted spaces and of uploads without a record', async () => {
    const space = await addSpace(owner)
    await addMedia(owner, space.id)
    const before = (await filesOf(world)).stored.length
    expectStatus(await owner.delete(`/api/v1/spaces/${space.id}`), 204)
    const { database } = world.resources
    await enqueueRemovals({ database })
    await world.settled()
    assert.equal((await filesOf(world)).stored.length, before, 'a file of the last hour may be on its way')
    await database.pipelined({ orgId: world.home.id }, [
      sql`update media_files set kept_until = now() - interval '1 minute' where media_id is null`,
    ])
    await enqueueRemovals({ database })
    await world.settled()
    assert.equal((await filesOf(world)).stored.length, before - 4)
  })
})

test('no upload folder remains', async () => {
  await until(
    async () => (await filesOf(world)).arriving,
    (left) => left.length === 0,
  )
})

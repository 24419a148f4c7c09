import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectStatus } from '#test/expect.ts'
import {
  addLinkedUnit,
  atPms,
  callsFor,
  historyOf,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { addMedia, picture, upload } from '#test/uploads.ts'
import { shareWorld } from '#test/share-world.ts'

/** Photos are pushed to the PMS with the rest of the content. */

const { world, owner } = shareWorld({ workers: true })

interface Shown {
  photos: { url: string; position: number; description: string | null }[]
  space: { photos: { url: string; position: number; description: string | null }[] }
}
const shownOf = async (unit: LinkedUnit) => {
  await world.settled()
  const { photos, space } = (await atPms(world, unit)) as unknown as Shown
  return { unit: photos, space: space.photos }
}

suite('photos at the PMS', () => {
  test('are added, separated by unit and space, reordered and removed', async () => {
    const unit = await addLinkedUnit(owner, { debounce_ms: 0 })
    assert.deepEqual(await shownOf(unit), { unit: [], space: [] })
    const a = await addMedia(owner, unit.spaceId, { description: 'House' })
    const b = await addMedia(owner, unit.spaceId)
    const c = await addMedia(owner, unit.spaceId, { unit_id: unit.unitId, description: 'Bed' })
    const seen = await shownOf(unit)
    assert.deepEqual(seen, {
      unit: [{ url: c.url, position: 0, description: 'Bed' }],
      space: [
        { url: a.url, position: 0, description: 'House' },
        { url: b.url, position: 1, description: null },
      ],
    })
    expectStatus(await owner.patch(`/api/v1/media/${b.id}`, { position: 0, description: 'Door' }), 200)
    expectStatus(await owner.delete(`/api/v1/media/${c.id}`), 204)
    assert.deepEqual(await shownOf(unit), {
      unit: [],
      space: [
        { url: b.url, position: 0, description: 'Door' },
        { url: a.url, position: 1, description: 'House' },
      ],
    })
    const last = (await historyOf(owner, unit)).filter(({ action }) => action === 'sync.completed').at(-1)!
    assert.ok(last.changes.every(({ field }) => ['photos', 'space.photos'].includes(field)))
    await until(
      () => statusOf(owner, unit),
      ({ in_sync }) => in_sync === true,
    )
    const url = `/api/v1/sync/proof/${unit.listingId}`
    assert.deepEqual(expectStatus(await owner.get(url), 200).proof.differences, [])
  })

  test('of rare formats are sent as JPEG; documents are not sent', async () => {
    const unit = await addLinkedUnit(owner, { debounce_ms: 0 })
    const sent = await upload(owner, unit.spaceId, await picture(90, 60, 'avif'))
    const { media } = expectStatus(sent, 200)
    expectStatus(await upload(owner, unit.spaceId, Buffer.from('%PDF-1.4\n%%EOF\n')), 200)
    const { space } = await shownOf(unit)
    assert.deepEqual(
      space.map(({ url }) => url),
      [media.renditions.at(-1).url],
    )
  })

  test('a listing that was pushed before there were photos has no difference', async () => {
    const unit = await addLinkedUnit(owner, { debounce_ms: 0 })
    await world.settled()
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update listing_syncs set accepted = (accepted - 'photos') #- '{space,photos}'
        where channel_listing_id = ${unit.listingId}`,
    ])
    const before = (await callsFor(world, unit)).length
    const preview = expectStatus(await owner.get(`/api/v1/sync/preview/${unit.listingId}`), 200)
    assert.ok(!JSON.stringify(preview).includes('photos'), JSON.stringify(preview))
    expectStatus(await owner.patch(`/api/v1/units/${unit.unitId}`, { bedrooms: 3 }), 200)
    await world.settled()
    const calls = (await callsFor(world, unit)).slice(before)
    assert.deepEqual(
      calls.map(({ body }) => body),
      [{ bedrooms: 3 }],
    )
  })
})

import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { assertAllAccepted, content, openPropertyFixture, updateOf } from '#test/channex-property.ts'
import { nights } from '#test/pms-fixture.ts'
import type { Photo, UnitContent } from '../pms-content.ts'

const organization = randomUUID()
const photos = (...descriptions: (string | null)[]): Photo[] =>
  descriptions.map((description, position) => ({
    url: `https://stays.example/media/${organization}/${randomBytes(24).toString('base64url')}.jpg`,
    position,
    description,
  }))

const withPhotos = (ofUnit: readonly Photo[], ofSpace: readonly Photo[]): UnitContent => ({
  ...content,
  photos: ofUnit,
  space: { ...content.space, photos: ofSpace },
})

suite('photos', () => {
  test('of the space are sent to the property, those of the unit to the room type, and are read back equal', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const desired = withPhotos(photos('Bed', null), photos('House', 'Garden', 'Pool'))
    const one = updateOf(unit!, { changedFields: 'all', content: desired })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const shown = async () =>
      (await property.connection.readUnits(property.units, nights(1), {})).get(unit!.externalId)!
    assert.deepEqual((await shown()).content.photos, desired.photos)
    assert.deepEqual((await shown()).content.space!.photos, desired.space.photos)
    await property.calls()
    assertAllAccepted(await property.connection.push([one], {}), [one])
    assert.deepEqual(await property.calls(), [], 'what is there already is not sent again')

    const turned = desired.space.photos!.toReversed().map((photo, position) => ({ ...photo, position }))
    const next = updateOf(unit!, { changedFields: ['photos', 'space'], content: withPhotos([], turned) })
    assertAllAccepted(await property.connection.push([next], {}), [next])
    assert.deepEqual((await shown()).content.photos, [])
    assert.deepEqual((await shown()).content.space!.photos, turned)
  })

  test('of others stay, and do not count as ours', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const other = { url: 'https://photos.example/media/1.jpg', position: 5, kind: 'ad' }
    await property.api('PUT', `/properties/${property.propertyId}`, {
      property: { content: { photos: [other] } },
    })
    for (const ours of [photos('House'), []]) {
      const one = updateOf(unit!, { changedFields: ['space'], content: withPhotos([], ours) })
      assertAllAccepted(await property.connection.push([one], {}), [one])
      const shown = (await property.connection.readUnits(property.units, nights(1), {})).get(
        unit!.externalId,
      )!
      assert.deepEqual(shown.content.space!.photos, ours)
      const there = (await property.api('GET', `/properties/${property.propertyId}`)).body.data.attributes
        .content.photos
      assert.deepEqual(
        there.map(({ url, kind }: { url: string; kind: string }) => [url, kind]),
        [...ours.map(({ url }) => [url, 'photo']), [other.url, 'ad']],
      )
    }
  })
})

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import sharp from 'sharp'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { addMedia, filesOf, noise, picture, upload } from '#test/uploads.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

const fetched = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url.replace(world.config.http.publicUrl, world.url), { headers })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const mediaOf = async (propertyId: string, query = '') =>
  expectStatus(await owner.get(`/api/v1/properties/${propertyId}/media${query}`), 200).media

suite('media: upload and download', () => {
  test('returns the URL of an uploaded photo, which anybody can read in four sizes', async () => {
    const space = await addSpace(owner)
    const sent = await noise(2_000, 1_000).jpeg().toBuffer()
    const { url, media } = expectStatus(await upload(owner, space.id, sent, { description: 'Terrace' }), 200)
    assert.equal(media.url, url)
    assert.deepEqual(
      [media.property_id, media.unit_id, media.org_id, media.account_id, media.description, media.position],
      [space.id, null, world.home.id, world.home.accountId, 'Terrace', 0],
    )
    assert.deepEqual([media.content_type, media.width, media.height], ['image/jpeg', 2_000, 1_000])
    const { status, headers, bytes } = await fetched(url)
    assert.equal(status, 200)
    assert.equal(bytes.length, media.size_bytes)
    assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, media.checksum)
    assert.deepEqual(
      ['content-type', 'cache-control', 'x-content-type-options', 'content-security-policy'].map((name) =>
        headers.get(name),
      ),
      ['image/jpeg', 'public, max-age=31536000, immutable', 'nosniff', "default-src 'none'; sandbox"],
    )
    const sizes = media.renditions.map((one: Record<string, unknown>) => [
      one['name'],
      one['width'],
      one['height'],
    ])
    assert.deepEqual(sizes, [
      ['thumbnail', 320, 160],
      ['small', 800, 400],
      ['large', 1_600, 800],
    ])
    for (const rendition of media.renditions) {
      const { bytes } = await fetched(rendition.url)
      const { width, height, format } = await sharp(bytes).metadata()
      assert.deepEqual(
        [bytes.length, width, height],
        [rendition.size_bytes, rendition.width, rendition.height],
      )
      assert.equal(`image/${format}`, rendition.content_type)
    }
    const read = await owner.get(`/api/v1/media/${media.id}`)
    assert.deepEqual(expectStatus(read, 200), { media })
  })

  test('returns 304 to a cached file, the size to HEAD, and 404 for another name', async () => {
    const { url, size_bytes } = await addMedia(owner, (await addSpace(owner)).id)
    const etag = (await fetched(url)).headers.get('etag')!
    assert.equal((await fetched(url, { 'if-none-match': etag })).status, 304)
    const head = await world.caller(null).send('HEAD', new URL(url).pathname, {})
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(size_bytes)])
    const { pathname } = new URL(url)
    for (const path of [
      pathname.replace(/[\w-]{4}\.jpg$/, 'AAAA.jpg'),
      pathname.replace('.jpg', '.png'),
      pathname.replace('.jpg', '.html'),
      pathname.replace(world.home.id, world.away.id),
      `/media/${world.home.id}/..%2f..%2fsecrets.json`,
      `/media/..%2f..%2f/${'A'.repeat(32)}.jpg`,
    ]) {
      expectProblem(await world.caller(null).get(path), 404, 'no-such-path')
      assert.equal((await world.caller(null).send('HEAD', path, {})).status, 404)
    }
  })

  for (const format of ['png', 'webp', 'avif', 'gif'] as const)
    test(`${format} stays ${format}`, async () => {
      const space = await addSpace(owner)
      const { media } = expectStatus(await upload(owner, space.id, await picture(60, 50, format)), 200)
      assert.deepEqual([media.content_type, media.width, media.height], [`image/${format}`, 60, 50])
      const { headers, bytes } = await fetched(media.url)
      assert.equal(headers.get('content-type'), `image/${format}`)
      assert.deepEqual((await sharp(bytes).metadata()).width, 60)
    })

  test('keeps an animation', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 20, height: 10, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    const { media } = expectStatus(await upload(owner, (await addSpace(owner)).id, moving), 200)
    assert.deepEqual([media.width, media.height], [20, 10])
    assert.equal((await sharp((await fetched(media.url)).bytes).metadata()).pages, 3)
  })

  test('stores a PDF unchanged, and serves it as an attachment', async () => {
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
    const { media } = expectStatus(await upload(owner, (await addSpace(owner)).id, pdf), 200)
    assert.deepEqual([media.content_type, media.width, media.renditions], ['application/pdf', null, []])
    const { headers, bytes } = await fetched(media.url)
    assert.ok(bytes.equals(pdf))
    assert.equal(headers.get('content-disposition'), 'attachment')
  })

  test('removes camera metadata, and rotates the picture upright', async () => {
    const sent = await noise(80, 40)
      .jpeg()
      .withExif({
        IFD0: { Make: 'SecretCamera' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '38/1 42/1 0/1', GPSLongitude: '9/1 8/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    assert.ok((await sharp(sent).metadata()).exif, 'the picture that is sent has a place in it')
    const { media } = expectStatus(await upload(owner, (await addSpace(owner)).id, sent), 200)
    assert.deepEqual([media.width, media.height], [40, 80])
    for (const { url } of [media, ...media.renditions]) {
      const { bytes } = await fetched(url)
      const { exif, xmp, iptc, icc, orientation } = await sharp(bytes).metadata()
      assert.deepEqual([exif, xmp, iptc, icc, orientation], Array(5).fill(undefined))
      assert.ok(!bytes.includes('SecretCamera'))
    }
  })
})

suite('media: order, update, delete', () => {
  test('moving a photo renumbers the others', async () => {
    const unit = await addUnit(owner)
    const [a, b, c, d] = [
      await addMedia(owner, unit.space_id),
      await addMedia(owner, unit.space_id),
      await addMedia(owner, unit.space_id),
      await addMedia(owner, unit.space_id, { unit_id: unit.id }),
    ]
    assert.deepEqual([a.position, b.position, c.position, d.position, d.unit_id], [0, 1, 2, 0, unit.id])
    const move = async (id: string, position: number) =>
      expectStatus(await owner.patch(`/api/v1/media/${id}`, { position }), 200).media.position
    const row = async () =>
      ids((await mediaOf(unit.space_id)).filter((one: { unit_id: null }) => !one.unit_id))
    assert.equal(await move(c.id, 0), 0)
    assert.deepEqual(await row(), [c.id, a.id, b.id])
    assert.equal(await move(c.id, 99), 2)
    assert.deepEqual(await row(), [a.id, b.id, c.id])
    assert.equal(await move(a.id, 1), 1)
    assert.deepEqual(await row(), [b.id, a.id, c.id])
    expectStatus(await owner.delete(`/api/v1/media/${b.id}`), 204)
    const left = (await mediaOf(unit.space_id)).filter((one: { unit_id: null }) => !one.unit_id)
    assert.deepEqual(
      left.map(({ position }: { position: number }) => position),
      [0, 1],
    )
    const paged = await owner.get(`/api/v1/media?property_id=${unit.space_id}&sort=-position&limit=1`)
    const next = await owner.get(
      `/api/v1/media?property_id=${unit.space_id}&sort=-position&limit=1&cursor=${paged.body.next_cursor}`,
    )
    assert.deepEqual([...ids(paged.body.media), ...ids(next.body.media)].length, 2)
    assert.deepEqual(ids(await mediaOf(unit.space_id, `?unit_id=${unit.id}`)), [d.id])
  })

  test('updates a description with If-Match, and accepts the record as it was read', async () => {
    const media = await addMedia(owner, (await addSpace(owner)).id)
    const path = `/api/v1/media/${media.id}`
    const etag = (await owner.get(path)).headers.get('etag')!
    const changed = await owner.patch(path, { ...media, description: 'View' }, { 'if-match': etag })
    assert.equal(expectStatus(changed, 200).media.description, 'View')
    expectProblem(
      await owner.patch(path, { description: null }, { 'if-match': etag }),
      412,
      'precondition-failed',
    )
    expectProblem(await owner.patch(path, { name: 'x' }), 400, 'validation-error', '/name')
  })

  test('removes the files of deleted media, units and spaces', async () => {
    const unit = await addUnit(owner)
    const first = await addMedia(owner, unit.space_id)
    await addMedia(owner, unit.space_id, { unit_id: unit.id })
    await world.settled() // what others have left goes first
    const { stored } = await filesOf(world)
    const nameOf = ({ url }: { url: string }) => url.split('/').at(-1)!
    assert.ok(stored.includes(nameOf(first)))
    expectStatus(await owner.delete(`/api/v1/media/${first.id}`), 204)
    expectProblem(await owner.get(`/api/v1/media/${first.id}`), 404, 'not-found')
    await world.settled()
    const after = (await filesOf(world)).stored
    assert.equal(after.length, stored.length - 4)
    assert.equal((await fetched(first.url)).status, 404)
  })

  test('stores one photo for an Idempotency-Key, and removes the files of the repetition', async () => {
    const space = await addSpace(owner)
    const file = await picture(50, 20)
    const key = { 'idempotency-key': randomUUID() }
    const first = await upload(owner, space.id, file, {}, key)
    const again = await upload(owner, space.id, file, {}, key)
    assert.deepEqual(expectStatus(again, 200), expectStatus(first, 200))
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal((await mediaOf(space.id)).length, 1)
    const other = await upload(owner, space.id, await picture(51, 20), {}, key)
    expectProblem(other, 422, 'idempotency-key-reused')
    await world.settled()
    const names = (await filesOf(world)).stored
    const kept = await owner.get('/api/v1/media?limit=100')
    const known = kept.body.media.flatMap((one: { url: string; renditions: { url: string }[] }) =>
      [one, ...one.renditions].map(({ url }) => url.split('/').at(-1)),
    )
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    )
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openBucket } from '#test/bucket.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { filesOf, noise, upload } from '#test/uploads.ts'
import { openWorld } from '#test/world.ts'

/** Media with an S3 server as storage. */

test('stores, serves and deletes a photo in a bucket', async () => {
  await using bucket = await openBucket()
  await using world = await openWorld({ workers: true, env: bucket.env })
  const owner = await world.home.as('owner')
  const { id } = await addSpace(owner)
  const sent = await noise(900, 600).jpeg().toBuffer()
  const { media } = expectStatus(await upload(owner, id, sent), 200)
  const urls = [media, ...media.renditions].map(({ url }: { url: string }) => new URL(url).pathname)
  const answer = await fetch(`${world.url}${urls[0]}`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, media.checksum)
  assert.equal(answer.headers.get('content-length'), String(media.size_bytes))
  for (const url of urls) assert.equal((await world.caller(null).send('HEAD', url, {})).status, 200)
  assert.deepEqual(await filesOf(world), { stored: [], arriving: [] })
  expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
  await world.settled()
  for (const url of urls) expectProblem(await world.caller(null).get(url), 404, 'no-such-path')
})

test('returns 503 and keeps nothing while the bucket is unreachable, and works again afterwards', async () => {
  await using bucket = await openBucket()
  await using world = await openWorld({ env: { ...bucket.env, S3_ENDPOINT: 'http://127.0.0.1:9' } })
  const owner = await world.home.as('owner')
  const { id } = await addSpace(owner)
  const sent = await noise(30, 20).jpeg().toBuffer()
  expectProblem(await upload(owner, id, sent), 503, 'unavailable')
  const { media } = expectStatus(await owner.get(`/api/v1/properties/${id}/media`), 200)
  assert.deepEqual(media, [])
  assert.deepEqual(await filesOf(world), { stored: [], arriving: [] })
  const path = `/media/${world.home.id}/${'A'.repeat(32)}.jpg`
  expectProblem(await world.caller(null).get(path), 503, 'unavailable')
})

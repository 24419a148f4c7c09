import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import { expectStatus } from '#test/expect.ts'
import { connection } from '#test/hostaway-live.ts'
import { countsOf, day, useImports, type TestImport } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls, until } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'
import { picture } from '#test/uploads.ts'

const { opened, read, owner, settled, home, occupied, plan, run } = useImports()

suite('import from Hostaway', () => {
  test('takes over bookings even if it is not asked to', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const loft = await hostaway.addListing({ name: 'Pier 3', address: 'Molo 3', city: 'Genova' })
    await hostaway.reserve(loft, day(10), day(13))
    const target = await addTarget(owner(), {
      config: { ...connection(hostaway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const planned = await plan(target.id, { include: ['photos'] })
    const done = await run(planned.id)
    assert.deepEqual([done.status, done.bookings_imported], ['completed', 1])
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    assert.deepEqual(await occupied(channel_listings[0].unit_id), [
      [0, 0],
      [1, 0],
      [0, 0],
    ])
  })

  test('takes over listings, bookings, closed nights and photos', async () => {
    const { url: photos } = await startPhotoServer()
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const place = { address: 'Via Cavour 4', city: 'Lucca' }
    const listingImages = [
      { url: `${photos}/front.png`, caption: 'Front', sortOrder: 1 },
      { url: `${photos}/missing.png`, sortOrder: 2 },
    ]
    const ids: number[] = []
    for (const listing of [
      { name: 'Loft 1', listingImages },
      { name: 'Loft 2' },
      { name: 'Barn', address: 'Via Roma 1', price: 80 },
      { name: 'Old', specialStatus: 'archived' },
    ])
      ids.push(await hostaway.addListing({ ...place, ...listing }))
    const [loft] = ids as [number]
    await hostaway.write(loft, [
      { startDate: day(20), endDate: day(22), isAvailable: 0 },
      { startDate: day(60), endDate: day(69), price: 300, minimumStay: 4 },
    ])
    await hostaway.reserve(loft, day(10), day(13))
    await hostaway.reserve(loft, day(-30), day(-25))
    const target = await addTarget(owner(), {
      config: { ...connection(hostaway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const planned = await plan(target.id)
    assert.deepEqual(countsOf(planned), [
      'photo create 2 0',
      'space create 2 0',
      'unit create 3 0',
      'unit skip 1 1',
    ])
    const { last } = (await hostaway.control('GET', 'calls')).body
    const done = await run(planned.id)
    assert.deepEqual(
      [done.status, done.bookings_imported, ...countsOf(done)],
      [
        'completed',
        1,
        'photo create 1 1',
        'photo skip 1 1',
        'space create 2 2',
        'unit create 3 3',
        'unit skip 1 1',
      ],
    )
    const { calls: reads } = (await hostaway.control('GET', `calls?after=${last}`)).body
    assert.deepEqual(
      reads.filter(({ path }: { path: string }) => /^\/v1\/listings\/\d+(\?|$)/.test(path)),
      [],
      'the plan has read the listings',
    )
    const { channel_listings } = await read(
      `channel-listings?channel_target_id=${target.id}&external_id=${loft}`,
    )
    const [listing] = channel_listings
    const { unit } = await read(`units/${listing.unit_id}`)
    assert.deepEqual([unit.name, unit.space.name, unit.bathrooms], ['Loft 1', 'Via Cavour 4, Lucca', 1.5])
    assert.deepEqual(await occupied(unit.id), [
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ])
    const { bookings } = await read(`bookings?unitId=${unit.id}`)
    assert.equal(bookings.length, 1)
    const { media } = await read(`media?unit_id=${unit.id}`)
    assert.deepEqual([media.length, media[0].description], [1, 'Front'])

    assert.equal((await read(`imports/${planned.id}`)).import.listings_paused, 3)
    expectStatus(await owner().post(`/api/v1/imports/${planned.id}/live`), 200)
    await settled()
    assert.equal((await read(`imports/${planned.id}`)).import.listings_paused, 0)
    const { calls } = (await hostaway.control('GET', `calls?after=${last}`)).body
    assert.deepEqual(
      calls.filter(
        ({ method, path }: { method: string; path: string }) =>
          method !== 'GET' && !/accessTokens|unifiedWebhooks/.test(path),
      ),
      [],
    )
  })

  test('ends with the problem of the PMS, and continues when it is run again', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    await hostaway.addListing({ name: 'Villa' })
    const config = { ...connection(hostaway.url), ...unlimitedCalls }
    const target = await addTarget(owner(), {
      config: { ...config, credentials: { ...config.credentials, api_key: 'wrong' } },
    })
    const earlier = await plan(target.id)
    const failed = await plan(target.id)
    assert.deepEqual([failed.status, failed.error_code], ['failed', 'auth_rejected'])
    assert.match(failed.error_message ?? '', /the API key\. Check both in the settings of the channel\.$/)
    const path = `/api/v1/channel-targets/${target.id}`
    const { channel_type, name } = expectStatus(await owner().get(path), 200).channel_target
    expectStatus(await owner().put(path, { channel_type, name, config }), 200)
    const planned = await run(failed.id)
    assert.deepEqual([planned.status, planned.error_code, planned.error_message], ['planned', null, null])
    const refused = await owner().post('/api/v1/imports', { channel_target_id: target.id })
    assert.equal(expectStatus(refused, 409).code, 'already-exists')
    const second = await owner().post(`/api/v1/imports/${earlier.id}/run`)
    assert.equal(expectStatus(second, 409).code, 'invalid-status-transition')
    const cancelled = expectStatus(await owner().post(`/api/v1/imports/${planned.id}/cancel`), 200).import
    assert.equal(cancelled.status, 'cancelled')
    expectStatus(await owner().post(`/api/v1/imports/${planned.id}/run`), 409)
  })

  test('says why it waits while the PMS does not answer, and goes on by itself', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    await hostaway.addListing({ name: 'Villa' })
    await hostaway.control('PUT', 'faults', { mode: 'refuse', status: 503 })
    const target = await addTarget(owner(), { config: { ...connection(hostaway.url), ...unlimitedCalls } })
    const sent = await owner().post('/api/v1/imports', { channel_target_id: target.id })
    const { id } = expectStatus(sent, 201).import as TestImport
    const current = async () => (await read(`imports/${id}`)).import as TestImport
    const waiting = await until(current, ({ error_code }) => error_code !== null)
    assert.deepEqual([waiting.status, waiting.error_code], ['planning', 'pms_unavailable'])
    await hostaway.control('DELETE', 'faults')
    const planned = await until(current, ({ status }) => status === 'planned')
    assert.deepEqual([planned.error_code, planned.error_message], [null, null])
  })

  test('keeps a photo that cannot be stored now, and stores it later', async () => {
    const photos = await startPhotoServer()
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const place = { name: 'Mill', address: 'Via Mulino 1', city: 'Lucca' }
    await hostaway.addListing({ ...place, listingImages: [{ url: `${photos.url}/front.png`, sortOrder: 1 }] })
    const target = await addTarget(owner(), { config: { ...connection(hostaway.url), ...unlimitedCalls } })
    const { id } = await plan(target.id)
    // A file where the folder should be: nothing can be stored.
    const folder = join(home(), 'media')
    await rename(folder, `${folder}-away`)
    await writeFile(folder, '')
    expectStatus(await owner().post(`/api/v1/imports/${id}/run`), 200)
    await until(photos.requests, (count) => count > 3, 60)
    await rm(folder)
    await rename(`${folder}-away`, folder)
    const done = await until(
      async () => (await read(`imports/${id}`)).import as TestImport,
      ({ status }) => status === 'completed',
      60,
    )
    assert.ok(countsOf(done).includes('photo create 1 1'), countsOf(done).join())
  })
})

/** Serves one picture, and counts how often it is asked for. */
async function startPhotoServer() {
  const file = await picture()
  let requests = 0
  const server = createServer(({ url }, response) => {
    if (url === '/front.png') requests++
    response.writeHead(url === '/front.png' ? 200 : 404).end(url === '/front.png' ? file : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests: () => Promise.resolve(requests) }
}

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addUnit, noIds, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { openWorld } from '#test/world.ts'
import { fetchDueCalendars } from './jobs.ts'

const { world, owner, stranger } = shareWorld()
let viewer: TestCaller
let unitId: string
const path = '/api/v1/calendar-feeds'
const url = 'https://calendars.example/secret-of-ours.ics?key=1'

before(async () => {
  viewer = await world.home.as('viewer')
  unitId = (await addUnit(owner)).id
})

const imported = (fields: object = {}) => ({
  unit_id: unitId,
  direction: 'import',
  name: 'Elsewhere',
  url,
  ...fields,
})
const add = async (fields: object = {}) =>
  expectStatus(await owner.post(path, imported(fields)), 201).calendar_feed

suite('calendar feeds: happy', () => {
  test('a fetch that is enqueued is not enqueued once more by the periodic task', async () => {
    const { id } = await add()
    const run = async (statement: ReturnType<typeof sql<{ is_due: boolean }>>) =>
      (await world.resources.database.pipelined({ orgId: world.home.id }, [statement]))[0]
    const isDue = async () =>
      (await run(sql`select next_fetch_at <= now() as is_due from calendar_feeds where id = ${id}`))[0]
        ?.is_due
    assert.equal(await isDue(), false, 'after it was created')
    const makeDue = () =>
      run(sql`update calendar_feeds set next_fetch_at = now() - interval '1 minute' where id = ${id}`)
    await makeDue()
    expectStatus(await owner.patch(`${path}/${id}`, { url: `${url}&other` }), 200)
    assert.equal(await isDue(), false, 'after its address was changed')
    await makeDue()
    assert.ok((await fetchDueCalendars(world.resources)) >= 1)
    assert.equal(await isDue(), false, 'after the periodic task enqueued it, while it is not fetched yet')
  })

  test('creates, returns and lists an import and an export', async () => {
    const reply = await owner.post(path, imported())
    const { id, created_at, updated_at, ...rest } = expectStatus(reply, 201).calendar_feed
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      unit_id: unitId,
      direction: 'import',
      name: 'Elsewhere',
      url,
      status: 'active',
      last_fetched_at: null,
      error_message: null,
      blocks: 0,
      held: null,
    })
    assert.equal(created_at, updated_at)
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
    const read = await owner.get(`${path}/${id}`)
    assert.deepEqual([read.body, read.headers.get('etag')], [reply.body, reply.headers.get('etag')])
    const { id: other } = await addUnit(owner)
    const made = await owner.post(path, { unit_id: other, direction: 'export', name: 'For others' })
    const feed = expectStatus(made, 201).calendar_feed
    assert.ok(feed.url.startsWith(`${world.config.http.publicUrl}/calendars/`))
    const { calendar_feeds } = expectStatus(await owner.get(`${path}?unit_id=${other}&direction=export`), 200)
    assert.deepEqual(calendar_feeds, [feed])
    assert.deepEqual(ids((await owner.get(`${path}?q=FOR%20OTH&status=active`)).body.calendar_feeds), [
      other && feed.id,
    ])
  })

  test('creates one feed for a repeated request, and returns the same address', async () => {
    const { id } = await addUnit(owner)
    const body = { unit_id: id, direction: 'export', name: 'Once' }
    const key = { 'idempotency-key': 'once' }
    const [first, second] = [await owner.post(path, body, key), await owner.post(path, body, key)]
    assert.deepEqual(first.body, second.body)
    assert.equal((await owner.get(`${path}?unit_id=${id}`)).body.calendar_feeds.length, 1)
    await owner.delete(`${path}/${first.body.calendar_feed.id}`)
    const { calendar_feed } = expectStatus(await owner.post(path, body, key), 201)
    assert.deepEqual(calendar_feed, { ...first.body.calendar_feed, url: null }, 'its address is gone with it')
  })

  test('accepts webcal addresses', async () => {
    const feed = await add({ url: 'webcal://calendars.example/x.ics' })
    assert.equal(feed.url, 'https://calendars.example/x.ics')
    const same = await owner.patch(`${path}/${feed.id}`, { url: 'webcals://calendars.example/x.ics' })
    assert.equal(expectStatus(same, 200).calendar_feed.updated_at, feed.updated_at)
  })

  test('changes the given fields, and accepts a record as it was read', async () => {
    const feed = await add()
    const same = await owner.patch(`${path}/${feed.id}`, feed)
    assert.deepEqual(expectStatus(same, 200).calendar_feed, feed)
    const reply = await owner.patch(`${path}/${feed.id}`, { ...feed, name: 'New', status: 'inactive' })
    const { updated_at, ...rest } = expectStatus(reply, 200).calendar_feed
    assert.deepEqual(rest, { ...rest, name: 'New', status: 'inactive', url })
    assert.ok(updated_at > feed.updated_at)
    const { calendar_feed: exported } = (
      await owner.post(path, { unit_id: unitId, direction: 'export', name: 'x' })
    ).body
    assert.deepEqual(
      expectStatus(await owner.patch(`${path}/${exported.id}`, exported), 200).calendar_feed,
      exported,
    )
  })

  test('checks If-Match before a change or deletion', async () => {
    const feed = await add()
    const { headers } = await owner.get(`${path}/${feed.id}`)
    const etag = headers.get('etag')!
    expectStatus(await owner.patch(`${path}/${feed.id}`, { name: 'New' }, { 'if-match': etag }), 200)
    for (const reply of [
      await owner.patch(`${path}/${feed.id}`, { name: 'Newer' }, { 'if-match': etag }),
      await owner.delete(`${path}/${feed.id}`, { 'if-match': etag }),
    ])
      expectProblem(reply, 412, 'precondition-failed')
    assert.equal((await owner.delete(`${path}/${feed.id}`)).status, 204)
  })

  test('deletes feeds with their unit', async () => {
    const { id } = await addUnit(owner)
    const feed = await add({ unit_id: id })
    assert.equal((await owner.delete(`/api/v1/units/${id}`)).status, 204)
    expectProblem(await owner.get(`${path}/${feed.id}`), 404, 'not-found')
  })
})

suite('calendar feeds: error', () => {
  const shapes: [string, object, string][] = [
    ['no unit', { unit_id: undefined }, '/unit_id'],
    ['no direction', { direction: undefined }, '/direction'],
    ['another direction', { direction: 'both' }, '/direction'],
    ['no name', { name: undefined }, '/name'],
    ['a blank name', { name: ' ' }, '/name'],
    ['a url that is none', { url: 'calendar' }, '/url'],
    ['a file', { url: 'file:///etc/passwd' }, '/url'],
    ['an unknown member', { token: 'x' }, '/token'],
    ['a status', { status: 'active' }, '/status'],
  ]
  for (const [name, fields, pointer] of shapes)
    test(`${name} is refused`, async () =>
      expectProblem(await owner.post(path, imported(fields)), 400, 'validation-error', pointer))

  test('rejects contradictory fields', async () => {
    expectProblem(await owner.post(path, imported({ url: undefined })), 422, 'semantic-error', '/url')
    expectProblem(await owner.post(path, imported({ direction: 'export' })), 422, 'semantic-error', '/url')
    expectProblem(
      await owner.post(path, imported({ unit_id: unknownId })),
      422,
      'reference-not-found',
      '/unit_id',
    )
    const named = imported({ url: 'https://ada:secret@calendars.example/x.ics' })
    expectProblem(await owner.post(path, named), 422, 'semantic-error', '/url')
    const feed = await add()
    const { id: other } = await addUnit(owner)
    for (const [patch, pointer] of [
      [{ unit_id: other }, '/unit_id'],
      [{ direction: 'export' }, '/direction'],
      [{ account_id: unknownId }, '/account_id'],
      [{ status: 'error' }, '/status'],
    ] as const)
      expectProblem(await owner.patch(`${path}/${feed.id}`, patch), 422, 'semantic-error', pointer)
    const body = { unit_id: unitId, direction: 'export', name: 'x' }
    const { calendar_feed: exported } = (await owner.post(path, body)).body
    expectProblem(await owner.patch(`${path}/${exported.id}`, { url }), 422, 'semantic-error', '/url')
    expectStatus(await owner.patch(`${path}/${feed.id}`, {}), 200)
  })

  test('returns 404 for an unknown id, 400 for an invalid id', async () => {
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.patch(`${path}/${unknownId}`, { name: 'x' }),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
  })
})

suite('calendar feeds: security', () => {
  test('returns the address only with permission to write units, and stores it encrypted', async () => {
    const feed = await add()
    assert.equal(expectStatus(await viewer.get(`${path}/${feed.id}`), 200).calendar_feed.url, null)
    const { text } = await viewer.get(`${path}?limit=100`)
    assert.ok(!/https?:/.test(text), text)
    const patched = await viewer.patch(`${path}/${feed.id}`, { name: 'Taken' })
    expectProblem(patched, 403, 'forbidden')
    const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`select encode(address, 'escape') as sealed, f::text as whole from calendar_feeds f`,
    ])
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes('secret-of-ours'))
    const body = { unit_id: unitId, direction: 'export', name: 'x' }
    const { calendar_feed: exported } = (await owner.post(path, body)).body
    const token = /calendars\/(.+)\.ics/.exec(exported.url)![1]!
    const [kept] = await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`select f::text as whole, encode(address, 'escape') as sealed from calendar_feeds f where id = ${exported.id}`,
    ])
    assert.ok(!JSON.stringify(kept).includes(token))
  })

  test('returns 404 to another organization', async () => {
    const feed = await add({ name: 'Only ours' })
    for (const reply of [
      await stranger.get(`${path}/${feed.id}`),
      await stranger.patch(`${path}/${feed.id}`, { name: 'Taken' }),
      await stranger.delete(`${path}/${feed.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual(expectStatus(await stranger.get(`${path}?unit_id=${unitId}`), 200).calendar_feeds, [])
    expectProblem(await stranger.post(path, imported()), 422, 'reference-not-found', '/unit_id')
    assert.equal((await owner.get(`${path}/${feed.id}`)).body.calendar_feed.name, 'Only ours')
  })

  test('returns 401 without a token, 403 without permission', async () => {
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
    expectProblem(await viewer.post(path, imported()), 403, 'forbidden')
    const reader = await world.home.as('service', { permissions: ['spaces:read'] })
    expectProblem(await reader.get(path), 403, 'forbidden')
  })

  test('rejects private addresses', async () => {
    await using strict = await openWorld({ env: { ALLOW_PRIVATE_ADDRESSES: 'false' } })
    const caller = await strict.home.as('owner')
    const { id: unit_id } = await addUnit(caller)
    const body = { unit_id, direction: 'import', name: 'x' }
    for (const inside of [
      'http://calendars.example/x.ics',
      'https://127.1/x.ics',
      'webcal://localhost/x',
      'https://[::1]/',
    ])
      expectProblem(await caller.post(path, { ...body, url: inside }), 422, 'semantic-error', '/url')
    const { calendar_feed } = expectStatus(await caller.post(path, { ...body, url }), 201)
    const turned = await caller.patch(`${path}/${calendar_feed.id}`, { url: 'https://169.254.169.254/' })
    expectProblem(turned, 422, 'semantic-error', '/url')
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addAccount, addListing, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/channel-targets'
const config = {
  provider: 'generic',
  base_url: 'http://127.0.0.1:9/pms',
  property_ref: 'LIS-01',
  rate_limit: { requests: 10, window_seconds: 60 },
  timeout_ms: 5_000,
  debounce_ms: 100,
}

/** Sets the result of a health check. */
const setStatus = (id: string, status: string) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [
    sql`update channel_targets set status = ${status} where id = ${id}`,
  ])

suite('channel targets: happy', () => {
  test('creates a pending target with a type and a name', async () => {
    const reply = await owner.post(path, { channel_type: 'pms', name: 'Front desk' })
    const { id, created_at, updated_at, ...rest } = expectStatus(reply, 201).channel_target
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      channel_type: 'pms',
      name: 'Front desk',
      config: { provider: 'generic' },
      status: 'pending',
      error_message: null,
      last_health_check_at: null,
    })
    assert.equal(updated_at, created_at)
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
  })

  test('returns the target alone and in the list', async () => {
    const made = await owner.post(path, { channel_type: 'pms', name: 'To the letter', config })
    const { channel_target } = expectStatus(made, 201)
    assert.deepEqual(channel_target.config, config)
    const read = await owner.get(`${path}/${channel_target.id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const { channel_targets } = expectStatus(await owner.get(`${path}?q=letter`), 200)
    assert.deepEqual(channel_targets, [channel_target])
  })

  test('replaces the whole configuration', async () => {
    const { id } = await addTarget(owner, { config })
    const body = { channel_type: 'pms', name: 'Renamed' }
    const plain = expectStatus(await owner.put(`${path}/${id}`, body), 200).channel_target
    assert.deepEqual(plain.config, { provider: 'generic' })
    const next = { provider: 'generic', debounce_ms: 0 }
    const replaced = expectStatus(await owner.put(`${path}/${id}`, { ...body, config: next }), 200)
    assert.deepEqual(replaced.channel_target.config, next)
    assert.equal(replaced.channel_target.status, 'pending')
  })

  test('accepts the record of the creation after a health check', async () => {
    const target = await addTarget(owner, { config })
    const { updated_at: _, ...same } = target
    for (const status of ['pending', 'active', 'error']) {
      await setStatus(target.id, status)
      const reply = expectStatus(await owner.put(`${path}/${target.id}`, target), 200).channel_target
      const { updated_at: __, ...after } = reply
      assert.deepEqual(after, { ...same, status })
    }
  })

  test('deactivates a target, and checks it when it is activated', async () => {
    const target = await addTarget(owner)
    const put = async (status: string) =>
      expectStatus(await owner.put(`${path}/${target.id}`, { ...target, status }), 200).channel_target.status
    assert.equal(await put('inactive'), 'inactive')
    assert.equal(await put('active'), 'pending')
    await setStatus(target.id, 'active')
    assert.equal(await put('active'), 'active')
    assert.equal(await put('inactive'), 'inactive')
    assert.equal(await put('pending'), 'pending')
    assert.equal((await addTarget(owner, { status: 'inactive' })).status, 'inactive')
    assert.equal((await addTarget(owner, { status: 'active' })).status, 'pending', 'not before it answered')
  })

  test('deletes a target without listings', async () => {
    const { id } = await addTarget(owner)
    assert.equal((await owner.delete(`${path}/${id}`)).status, 204)
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
  })

  test('creates a target in the account of the token or a given one', async () => {
    const second = await addAccount(world, world.home.id, 'Second')
    const target = await addTarget(owner, { account_id: second })
    assert.equal(target.account_id, second)
    const home = { ...target, account_id: world.home.accountId }
    const moved = expectStatus(await owner.put(`${path}/${target.id}`, home), 200).channel_target
    assert.equal(moved.account_id, world.home.accountId)
    await addListing(owner, { channel_target_id: target.id })
    expectProblem(await owner.put(`${path}/${target.id}`, target), 409, 'resource-in-use')
  })
})

suite('channel targets: error', () => {
  const refused: [string, object, string][] = [
    ['a target of no kind', { channel_type: undefined }, '/channel_type'],
    ['a kind that is not offered', { channel_type: 'ota' }, '/channel_type'],
    ['a target without a name', { name: undefined }, '/name'],
    ['a configuration that is no object', { config: 'url' }, '/config'],
    ['a configuration of null', { config: null }, '/config'],
    ['an unknown provider', { config: { provider: 'nobody' } }, '/config/provider'],
    ['a member that the provider does not know', { config: { room: 1 } }, '/config/room'],
    ['an address of files', { config: { base_url: 'file:///etc/passwd' } }, '/config/base_url'],
    ['an address that is none', { config: { base_url: 'http://' } }, '/config/base_url'],
    ['an address with a password', { config: { base_url: 'http://a:b@pms.example' } }, '/config/base_url'],
    ['a property with a path in it', { config: { property_ref: '../admin' } }, '/config/property_ref'],
    ['no calls in a window', { config: { rate_limit: { requests: 0 } } }, '/config/rate_limit/requests'],
    ['a secret of a number', { config: { credentials: { api_key: 5 } } }, '/config/credentials/api_key'],
    ['an empty secret', { config: { credentials: { api_key: '' } } }, '/config/credentials/api_key'],
    ['another secret', { config: { credentials: { password: 'x' } } }, '/config/credentials/password'],
    ['a wait of minutes', { config: { debounce_ms: 60_001 } }, '/config/debounce_ms'],
    ['an unknown status', { status: 'paused' }, '/status'],
    ['an unknown member', { url: 'http://pms.example' }, '/url'],
  ]
  for (const [what, wrong, pointer] of refused)
    test(`rejects ${what}`, async () => {
      const body = { channel_type: 'pms', name: 'n', ...wrong }
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer)
    })

  test('rejects the status error', async () => {
    const target = await addTarget(owner)
    for (const status of ['pending', 'active', 'inactive']) {
      await setStatus(target.id, status)
      const reply = await owner.put(`${path}/${target.id}`, { ...target, status: 'error' })
      expectProblem(reply, 409, 'invalid-status-transition')
    }
  })

  test('returns 409 on deletion while the target has listings', async () => {
    const { id } = await addTarget(owner)
    const listing = await addListing(owner, { channel_target_id: id })
    expectProblem(await owner.delete(`${path}/${id}`), 409, 'resource-in-use')
    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}`), 204)
    expectStatus(await owner.delete(`${path}/${id}`), 204)
  })

  test('returns 404 for an unknown id, and 405 for PATCH', async () => {
    const body = { channel_type: 'pms', name: 'n' }
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.put(`${path}/${unknownId}`, body),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
    const patched = await owner.patch(`${path}/${unknownId}`, { name: 'n' })
    expectProblem(patched, 405, 'method-not-allowed')
    assert.equal(patched.headers.get('allow'), 'DELETE, GET, HEAD, PUT')
  })
})

suite('channel targets: security', () => {
  test('returns 404 to another organization', async () => {
    const target = await addTarget(owner, { name: 'Only ours', config })
    const body = { channel_type: 'pms', name: 'Taken' }
    for (const reply of [
      await stranger.get(`${path}/${target.id}`),
      await stranger.put(`${path}/${target.id}`, body),
      await stranger.delete(`${path}/${target.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual((await owner.get(`${path}/${target.id}`)).body.channel_target, target)
    for (const query of ['', `?org_id=${world.home.id}`, '?q=ours', '?channel_type=pms'])
      assert.deepEqual(expectStatus(await stranger.get(path + query), 200).channel_targets, [], query)
    const foreign = { ...body, account_id: world.away.accountId }
    expectProblem(await owner.post(path, foreign), 422, 'reference-not-found', '/account_id')
  })

  test('needs permission to read and to write', async () => {
    const target = await addTarget(owner)
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${target.id}`), 200)
    for (const reply of [
      await viewer.post(path, target),
      await viewer.put(`${path}/${target.id}`, target),
      await viewer.delete(`${path}/${target.id}`),
    ])
      expectProblem(reply, 403, 'forbidden')
    const service = await world.home.as('service', { permissions: ['units:read'] })
    expectProblem(await service.get(path), 403, 'forbidden')
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
  })

  test('rejects a unit of another account', async () => {
    const second = await addAccount(world, world.home.id, 'Elsewhere')
    const target = await addTarget(owner, { account_id: second })
    const unit = await addUnit(owner)
    const link = { unit_id: unit.id, channel_target_id: target.id, external_id: 'X' }
    const reply = await owner.post('/api/v1/channel-listings', link)
    expectProblem(reply, 422, 'semantic-error', '/channel_target_id')
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { unknownId } from '#test/records.ts'
import { addEndpoint, endpointsPath as path } from '#test/webhook-receiver.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()
const url = 'https://partner.example/hooks?key=1'

suite('webhook endpoints: happy', () => {
  test('the secret is shown once; other members are returned as written', async () => {
    const made = await owner.post(path, { url, event_types: ['booking.created'], description: 'Locks' })
    const { webhook_endpoint: endpoint } = expectStatus(made, 201)
    const { id, secret, created_at, updated_at, ...rest } = endpoint
    assert.deepEqual(rest, {
      ...{
        org_id: world.home.id,
        account_id: null,
        url,
        description: 'Locks',
        event_types: ['booking.created'],
      },
      ...{ status: 'active', disabled_reason: null, last_delivery_at: null, failing_since: null },
    })
    assert.match(secret, /^whsec_[\w+/]{43}=$/)
    assert.equal(created_at, updated_at)
    assert.equal(made.headers.get('location'), `${path}/${id}`)
    const read = expectStatus(await owner.get(`${path}/${id}`), 200).webhook_endpoint
    assert.deepEqual(read, { ...endpoint, secret: null })
    const listed = expectStatus(await owner.get(`${path}?status=active`), 200).webhook_endpoints
    assert.deepEqual(
      listed.filter((one: { id: string }) => one.id === id),
      [read],
    )
    const same = await owner.put(`${path}/${id}`, read)
    assert.deepEqual(expectStatus(same, 200).webhook_endpoint, read)
  })

  test('PATCH keeps omitted members; PUT replaces all', async () => {
    const { id, secret, updated_at, ...rest } = await addEndpoint(owner, url, {
      ...{ description: 'Old', account_id: world.home.accountId },
    })
    const off = expectStatus(await owner.patch(`${path}/${id}`, { status: 'disabled' }), 200).webhook_endpoint
    assert.deepEqual({ ...off, updated_at }, { id, ...rest, secret: null, status: 'disabled', updated_at })
    const body = { url, event_types: ['unit.created', 'unit.deleted'] }
    const { headers } = await owner.get(`${path}/${id}`)
    const put = await owner.put(`${path}/${id}`, body, { 'if-match': headers.get('etag')! })
    const { webhook_endpoint: replaced } = expectStatus(put, 200)
    assert.deepEqual(
      [replaced.event_types, replaced.description, replaced.account_id, replaced.status],
      [body.event_types, null, null, 'active'],
    )
    expectProblem(
      await owner.delete(`${path}/${id}`, { 'if-match': headers.get('etag')! }),
      ...([412, 'precondition-failed'] as const),
    )
    expectStatus(await owner.delete(`${path}/${id}`), 204)
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
  })

  test('a repeated POST returns the same secret, which is not stored with the response', async () => {
    const key = { 'idempotency-key': 'one-endpoint' }
    const [first, again] = [
      await owner.post(path, { url, event_types: ['*'] }, key),
      await owner.post(path, { url, event_types: ['*'] }, key),
    ]
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const [kept] = await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`select body from idempotency_keys union all select row_to_json(w)::text from webhook_endpoints w`,
    ])
    assert.ok(kept.length > 1)
    assert.ok(!JSON.stringify(kept).includes('whsec_'))
  })

  test('is deleted with all its deliveries, of which one statement deletes a part', async () => {
    const { id } = await addEndpoint(owner, url)
    const database = openOwner(world.databaseUrl)
    const run = (statement: ReturnType<typeof sql>) => database.pipelined({ orgId: null }, [statement])
    await run(sql`
      insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_type, status, created_at)
      select ${world.home.id}, ${id}, gen_random_uuid(), 'space.created', 'failed', now() - n * interval '1 ms'
      from generate_series(1, 10100) n`)
    await run(sql`create function limit_deletion() returns trigger language plpgsql as
      $$begin if (select count(*) from deleted) > 10000 then raise 'too many at once'; end if; return null; end$$`)
    await run(sql`create trigger limit_deletion after delete on webhook_deliveries
      referencing old table as deleted for each statement execute function limit_deletion()`)
    expectStatus(await owner.delete(`${path}/${id}`), 204)
    await run(sql`drop function limit_deletion cascade`)
    const [left] = await run(sql`select 1 from webhook_deliveries where webhook_endpoint_id = ${id} limit 1`)
    assert.deepEqual(left, [])
    await database.close()
  })
})

suite('webhook endpoints: error', () => {
  const wrong: [string, object, string][] = [
    ['no url', { url: undefined }, '/url'],
    ['a url of another kind', { url: 'ftp://partner.example' }, '/url'],
    ['no event types', { event_types: undefined }, '/event_types'],
    ['no event type at all', { event_types: [] }, '/event_types'],
    ['an unknown event type', { event_types: ['guest.left'] }, '/event_types/0'],
    ['an unknown status', { status: 'paused' }, '/status'],
    ['an unknown member', { secrets: [] }, '/secrets'],
  ]
  for (const [what, members, pointer] of wrong)
    test(`rejects ${what}`, async () => {
      const body = { url, event_types: ['*'], ...members }
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer)
    })

  test('rejects a URL with a password, and an account of another organization', async () => {
    const body = { url: 'https://ana:pw@partner.example/', event_types: ['*'] }
    expectProblem(await owner.post(path, body), 422, 'semantic-error', '/url')
    for (const account_id of [unknownId, world.away.accountId])
      expectProblem(
        await owner.post(path, { url, event_types: ['*'], account_id }),
        ...([422, 'reference-not-found', '/account_id'] as const),
      )
  })

  test('a disabled endpoint gets neither tests nor deliveries', async () => {
    const { id } = await addEndpoint(owner, url, { status: 'disabled' })
    const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    expectProblem(await owner.post(`${path}/${id}/test`), 409, 'endpoint-disabled')
    expectProblem(await owner.post(`${path}/${id}/replay`, period), 409, 'endpoint-disabled')
    expectProblem(
      await owner.post(`${path}/${id}/replay`, { from: period.to, to: period.from }),
      ...([422, 'semantic-error', '/to'] as const),
    )
  })
})

suite('webhook endpoints: security', () => {
  test('another organization finds and changes nothing', async () => {
    const { id } = await addEndpoint(owner, url)
    const body = { url, event_types: ['*'] }
    const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    for (const reply of [
      await stranger.get(`${path}/${id}`),
      await stranger.put(`${path}/${id}`, body),
      await stranger.patch(`${path}/${id}`, body),
      await stranger.delete(`${path}/${id}`),
      await stranger.get(`${path}/${id}/deliveries`),
      await stranger.post(`${path}/${id}/secret`),
      await stranger.post(`${path}/${id}/test`),
      await stranger.post(`${path}/${id}/replay`, period),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.ok(!ids((await stranger.get(path)).body.webhook_endpoints).includes(id))
  })

  test('callers without webhooks:read see no endpoints', async () => {
    for (const role of ['staff', 'viewer'] as const) {
      const caller = await world.home.as(role)
      expectProblem(await caller.get(path), 403, 'forbidden')
      expectProblem(await caller.get('/api/v1/webhook-deliveries'), 403, 'forbidden')
      expectProblem(await caller.get('/api/v1/events'), 403, 'forbidden')
    }
    expectStatus(await (await world.home.as('manager')).get(path), 200)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import {
  addEndpoint,
  deliveriesOf,
  deliveryOf,
  endpointsPath,
  openReceiver,
  verifySignature,
  type Receiver,
} from '#test/webhook-receiver.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller
let partner: Receiver
/** A world that allows no endpoint on this machine. */
let guarded: World

before(async () => {
  // Two jobs at a time, so that one endpoint could well take them all.
  world = await openWorld({ workers: true, env: { WORKER_CONCURRENCY: '4' } })
  guarded = await openWorld({ workers: true, env: { ALLOW_PRIVATE_ADDRESSES: 'false' } })
  owner = await world.home.as('owner')
  partner = await openReceiver()
})
after(async () => {
  await partner.close()
  await world[Symbol.asyncDispose]()
  await guarded[Symbol.asyncDispose]()
})

suite('a hanging receiver', () => {
  test('gets no more deliveries after the endpoint has another address', async () => {
    partner.answer('/before', { status: 200, hangs: true })
    const endpoint = await addEndpoint(owner, `${partner.url}/before`, { event_types: ['space.created'] })
    const calls = (path: string) =>
      until(
        async () => partner.at(path).length,
        (count) => count === 1,
      )
    await addSpace(owner)
    await calls('/before')
    expectStatus(await owner.patch(`${endpointsPath}/${endpoint.id}`, { url: `${partner.url}/after` }), 200)
    await addSpace(owner)
    await calls('/after')
    assert.equal(partner.at('/before').length, 1)
    expectStatus(await owner.delete(`${endpointsPath}/${endpoint.id}`), 204)
    // Otherwise it occupies one of the jobs of the organization for 15 seconds.
    partner.closeConnections()
  })

  test('gets eight deliveries at a time, delays no other endpoint, and times out', async () => {
    partner.answer('/hangs', { status: 200, hangs: true })
    const event_types = ['space.created']
    const hanging = await addEndpoint(owner, `${partner.url}/hangs`, { event_types })
    for (let n = 0; n < 12; n++) await addSpace(owner)
    // Each event has found its endpoints: the next endpoint gets none of these.
    await until(
      () => deliveriesOf(owner, hanging),
      ({ length }) => length === 12,
    )
    await until(
      async () => partner.at('/hangs').length,
      (calls) => calls === 8,
    )
    const healthy = await addEndpoint(owner, `${partner.url}/healthy`, { event_types })
    for (let n = 0; n < 12; n++) await addSpace(owner)
    const all = await until(
      () => deliveriesOf(owner, healthy),
      (found) => found.length === 12 && found.every(({ status }) => status === 'delivered'),
    )
    assert.equal(all.length, 12)
    const called = partner.at('/hangs').length
    const over = (await deliveriesOf(owner, hanging)).filter(({ error_message }) => error_message !== null)
    assert.ok(called <= 8 + over.length, 'the rest waits')
    const timedOut = await until(
      () => deliveriesOf(owner, hanging),
      (found) => found.some(({ error_message }) => error_message !== null),
    )
    assert.match(timedOut.find((one) => one.error_message)!.error_message!, /within 15 seconds/)
    await until(
      async () => partner.at('/hangs').length,
      (calls) => calls > 8,
    )
    assert.equal(partner.at('/hangs').length, 9, 'one at a time after it did not answer in time')
    const ended = (await deliveriesOf(owner, hanging)).filter(({ error_message }) => error_message !== null)
    assert.equal(ended.length, 8)
    await owner.delete(`${endpointsPath}/${hanging.id}`)
    await owner.delete(`${endpointsPath}/${healthy.id}`)
  })
})

suite('two valid secrets', () => {
  test('both sign for a day after a rotation, then only the new one', async () => {
    const endpoint = await addEndpoint(owner, `${partner.url}/rotated`, { event_types: ['space.created'] })
    const key = { 'idempotency-key': 'rotate-once' }
    const rotate = () => owner.post(`${endpointsPath}/${endpoint.id}/secret`, undefined, key)
    const { webhook_endpoint: rotated } = expectStatus(await rotate(), 201)
    assert.notEqual(rotated.secret, endpoint.secret)
    assert.equal(expectStatus(await rotate(), 201).webhook_endpoint.secret, rotated.secret)
    await addSpace(owner)
    await until(
      async () => partner.at('/rotated').length,
      (calls) => calls === 1,
    )
    const [both] = partner.at('/rotated')
    for (const secret of [endpoint.secret, rotated.secret]) verifySignature(both!, secret)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update webhook_endpoints set previous_until = now() - interval '1 second' where id = ${endpoint.id}`,
    ])
    await addSpace(owner)
    await until(
      async () => partner.at('/rotated').length,
      (calls) => calls === 2,
    )
    const later = partner.at('/rotated')[1]!
    verifySignature(later, rotated.secret)
    assert.throws(() => verifySignature(later, endpoint.secret), /No matching signature/)
  })
})

suite('private addresses', () => {
  test('are rejected when they are stored, and again when they are called', async () => {
    const caller = await guarded.home.as('owner')
    for (const url of [
      'http://partner.example/x',
      'https://127.0.0.1/x',
      'https://localhost/x',
      'https://169.254.169.254/x',
    ])
      expectProblem(
        await caller.post(endpointsPath, { url, event_types: ['*'] }),
        422,
        'semantic-error',
        '/url',
      )
    const endpoint = await addEndpoint(caller, 'https://partner.example/x')
    for (const send of [caller.patch, caller.put])
      expectProblem(
        await send(`${endpointsPath}/${endpoint.id}`, { url: 'https://10.0.0.1/', event_types: ['*'] }),
        ...([422, 'semantic-error', '/url'] as const),
      )
    await guarded.resources.database.pipelined({ orgId: guarded.home.id }, [
      sql`update webhook_endpoints set url = ${partner.url.replace('http', 'https')} || '/inside' where id = ${endpoint.id}`,
    ])
    expectStatus(await caller.post(`${endpointsPath}/${endpoint.id}/test`), 201)
    const failed = await deliveryOf(caller, endpoint, ({ error_message }) => error_message !== null)
    assert.match(failed.error_message!, /private network/)
    assert.deepEqual(partner.at('/inside'), [])
  })
})

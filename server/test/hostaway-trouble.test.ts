import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { accountId, apiKey } from '../../sandbox/test/hostaway-caller.ts'
import { expectStatus } from './expect.ts'
import {
  connection,
  decide,
  goLive,
  hostawayWorld,
  openAccount,
  statusOf,
  type Account,
} from './hostaway-live.ts'
import { addListing, addTarget, addUnit } from './records.ts'
import { historyOf, until } from './linked-units.ts'

const setup = hostawayWorld()

const price = ({ rooms, day }: Account, room: number, night: number, price_cents: number) => ({
  unit_id: rooms[room]!.unitId,
  date_from: day(night),
  date_to: day(night),
  price_cents,
})

const haveArrived = ({ rooms }: Account, seconds: number) =>
  until(
    () => Promise.all(rooms.map((room) => statusOf(setup, room))),
    (all) => all.every(({ status, in_sync }) => status === 'completed' && in_sync),
    seconds,
  )

const trigger = async ({ rooms }: Account, room = 0) =>
  expectStatus(
    await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: rooms[room]!.listingId }),
    201,
  )

const listingOf = async (id: string) =>
  (await setup.owner.get(`/api/v1/channel-listings/${id}`)).body.channel_listing

suite('Hostaway: the limits', { concurrency: true }, () => {
  test('twelve listings linked at once are sent without a 429, and end exact', async () => {
    const config = { rate_limit: { requests: 15, window_seconds: 2 } }
    const limits = { window_ms: 2_000 }
    await using account = await openAccount(setup, { rooms: 12, live: false, config, limits })
    const { all, calendars } = await account.arriving(async () => {
      await goLive(setup, account)
      await haveArrived(account, 120)
    }, false)
    assert.ok(all.length > 15, 'more than one window allows')
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.deepEqual([calendars.length, new Set(calendars.map(({ path }) => path)).size], [12, 12])
    assert.equal((await account.shown(11, 499))[0]!['price'], 210)
  })

  test('thirty consecutive changes cause no 429 and end exact', async () => {
    await using account = await openAccount(setup, { rooms: 2, config: { debounce_ms: 0 } })
    const { all } = await account.arriving(async () => {
      for (let change = 0; change < 30; change++)
        await decide(setup, price(account, change % 2, 5 + (change % 6), 20_000 + 100 * change))
      await haveArrived(account, 120)
    }, false)
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.ok(all.length <= 20, `${all.length} calls`)
    assert.deepEqual(
      (await account.shown(0, 5, 10)).map(({ price }) => price),
      [224, 100, 226, 100, 228, 100],
    )
  })

  test('waits after a 429 caused by another client', async () => {
    await using account = await openAccount(setup)
    for (let call = 0; call < 15; call++) await account.hostaway.call('GET', '/listings?limit=1')
    const { calendars } = await account.arriving(async () => {
      await decide(setup, price(account, 0, 5, 20_000))
      const waiting = await until(
        () => statusOf(setup, account.rooms[0]!),
        ({ error_code }) => error_code === 'rate_limited',
      )
      assert.equal(waiting.status, 'pending')
      await haveArrived(account, 120)
    }, false)
    assert.deepEqual(
      calendars.map(({ status }) => status),
      [429, 200],
    )
    assert.equal((await account.shown(0, 5))[0]!['price'], 200)
  })
})

suite('Hostaway: failures', { concurrency: true }, () => {
  test('an archived listing is in error with a hint, without affecting others; after its restoration it is retried', async () => {
    await using account = await openAccount(setup, { rooms: 2, limited: false })
    const [first, second] = account.rooms
    await account.hostaway.control('PATCH', `listings/${first!.id}`, { specialStatus: 'archived' })
    await decide(setup, price(account, 0, 5, 20_000), price(account, 1, 5, 30_000))
    await setup.world.settled()
    const listing = await listingOf(first!.listingId)
    assert.equal(listing.status, 'error')
    assert.match(listing.error_message, /archived/)
    const { error } = (await historyOf(setup.owner, first!)).at(-1)!
    assert.deepEqual([error!.code, error!.retryable], ['conflict', false])
    assert.match(error!.hint, /[Rr]estore/)
    const { alerts } = (await setup.owner.get(`/api/v1/alerts?channel_listing_id=${first!.listingId}`)).body
    assert.deepEqual([alerts.length, alerts[0].hint], [1, error!.hint])
    assert.equal((await listingOf(second!.listingId)).status, 'active')
    assert.equal((await account.shown(1, 5))[0]!['price'], 300)

    await account.hostaway.control('PATCH', `listings/${first!.id}`, { specialStatus: null })
    const retry = { channel_listing_id: first!.listingId, error_code: 'conflict' }
    expectStatus(await setup.owner.post('/api/v1/sync/retries', retry), 201)
    await haveArrived(account, 120)
    const { status, error_message } = await listingOf(first!.listingId)
    assert.deepEqual([status, error_message], ['active', null])
    assert.equal((await account.shown(0, 5))[0]!['price'], 200)
  })

  test('a revoked token is replaced once, and nothing is lost', async () => {
    await using account = await openAccount(setup, { rooms: 2, limited: false })
    await account.hostaway.control('DELETE', 'tokens')
    const { tokens, calendars } = await account.arriving(() =>
      decide(setup, price(account, 0, 5, 20_000), price(account, 1, 5, 20_000)),
    )
    assert.equal(tokens.length, 1)
    assert.deepEqual(
      calendars.map(({ status }) => status).filter((status) => status === 200),
      [200, 200],
    )
    for (const room of account.rooms) assert.equal((await statusOf(setup, room)).in_sync, true)
  })

  test('retries lost responses until everything is accepted', async () => {
    await using account = await openAccount(setup, { limited: false })
    await account.hostaway.control('PUT', 'faults', { mode: 'lose_reply', method: 'PUT', times: 1 })
    await decide(setup, price(account, 0, 5, 20_000))
    await haveArrived(account, 120)
    const lost = (await historyOf(setup.owner, account.rooms[0]!)).filter(
      ({ error }) => error?.code === 'network',
    )
    assert.equal(lost.length, 1)
    assert.equal((await account.shown(0, 5))[0]!['price'], 200)
  })

  test('a wrong key is reported without showing it', async () => {
    await using account = await openAccount(setup, { limited: false })
    const wrong = 'wrong-key-that-nobody-may-read'
    const { id } = await addTarget(setup.owner, {
      config: {
        ...connection(account.hostaway.url),
        credentials: { account_id: String(accountId), api_key: wrong },
      },
    })
    const target = await until(
      async () => (await setup.owner.get(`/api/v1/channel-targets/${id}`)).body.channel_target,
      ({ status }) => status === 'error',
    )
    assert.match(target.error_message, /refused/)
    const { listingId } = account.rooms[0]!
    for (const path of [
      `channel-targets/${id}`,
      `channel-targets/${account.targetId}`,
      'channel-targets',
      'alerts?limit=100',
      'sync/audit?limit=100',
      `sync/proof/${listingId}`,
      `sync/targets/${id}`,
    ]) {
      const { status, text } = await setup.owner.get(`/api/v1/${path}`)
      assert.equal(status, 200, path)
      assert.ok(!text.includes(wrong) && !text.includes(apiKey), path)
    }
  })
})

suite('Hostaway: drift', () => {
  test('nights and content changed at Hostaway are shown by the proof and repaired by a manual sync', async () => {
    await using account = await openAccount(setup, { limited: false })
    const { id, listingId } = account.rooms[0]!
    const { name } = (await account.hostaway.call('GET', `/listings/${id}`)).body.result
    const span = { startDate: account.day(7), endDate: account.day(8) }
    await account.hostaway.write(id, [{ ...span, price: 55, isAvailable: 0 }])
    await account.hostaway.call('PUT', `/listings/${id}`, { name: 'Broom cupboard' })
    await account.hostaway.setClockAhead(11_000)
    const path = `/api/v1/sync/proof/${listingId}`
    const { proof } = expectStatus(await setup.owner.get(path), 200)
    assert.equal(proof.in_sync, false)
    assert.deepEqual(
      proof.differences.map(({ field, date_from, desired, read_back }: Record<string, unknown>) => [
        field,
        date_from,
        desired,
        read_back,
      ]),
      [
        ['name', null, name, 'Broom cupboard'],
        ['available', account.day(7), 1, 0],
        ['price_cents', account.day(7), 10_000, 5_500],
      ],
    )
    const { calendars } = await account.arriving(() => trigger(account))
    assert.deepEqual(calendars[0]!.body, [{ ...span, isAvailable: 1, price: 100 }])
    assert.equal((await historyOf(setup.owner, { listingId })).at(-1)!.action, 'sync.repaired')
    assert.equal(expectStatus(await setup.owner.get(path), 200).proof.in_sync, true)
  })
})

suite('Hostaway: listings are created once', () => {
  test('also when the response is lost', async () => {
    await using account = await openAccount(setup, { limited: false })
    const { unit } = (await setup.owner.get(`/api/v1/units/${account.rooms[0]!.unitId}`)).body
    const { id: unit_id } = await addUnit(setup.owner, { space_id: unit.space_id, name: 'Attic' })
    const property = String(accountId)
    const rule = { mode: 'lose_reply', method: 'POST', times: 1, property }
    await account.hostaway.control('PUT', 'faults', rule)
    const { id } = await addListing(setup.owner, {
      unit_id,
      channel_target_id: account.targetId,
      external_id: null,
      create: true,
    })
    await until(
      async () => (await setup.owner.get(`/api/v1/sync/status/${id}`)).body,
      ({ error_code }) => error_code === 'network',
    )
    const { calls } = (await account.hostaway.control('GET', 'calls')).body
    const { method, path, fault } = calls.at(-1)
    assert.deepEqual([method, path, fault], ['POST', '/v1/listings', 'lose_reply'])
    expectStatus(await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: id }), 201)
    const listing = await until(
      () => listingOf(id),
      ({ status }) => status === 'active',
    )
    await account.hostaway.setClockAhead(11_000)
    const { result } = (await account.hostaway.call('GET', '/listings?match=Attic')).body
    assert.deepEqual(
      result.map((one: { id: number }) => String(one.id)),
      [listing.external_id],
    )
    const days = await account.hostaway.nights(Number(listing.external_id), account.day(0), account.day(499))
    assert.deepEqual([days.length, days.every(({ status }) => status === 'available')], [500, true])
  })
})

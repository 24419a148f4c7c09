import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import {
  callsFor,
  clearPmsFaults,
  addPmsFault,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { syncCommand, type SyncCommand } from '#test/sync-command.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller
let one: LinkedUnit
let other: LinkedUnit
let command: SyncCommand
const sync = (args: string[]) => command.run(args)

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  one = await addLinkedUnit(owner)
  other = await addLinkedUnit(owner)
  command = syncCommand(world.url, owner.token!)
  await world.settled()
})
afterEach(() => clearPmsFaults(world))
after(async () => {
  await world[Symbol.asyncDispose]()
  command.close()
})

async function fail(linked: LinkedUnit, priceCents: number) {
  await addPmsFault(world, linked, { mode: 'refuse', status: 422, calendar: true })
  await setPrice(owner, linked, priceCents)
  await until(
    () => statusOf(owner, linked),
    ({ status }) => status === 'failed',
  )
  await clearPmsFaults(world)
}

suite('vacancy sync status', () => {
  test('prints one listing as text and as JSON', async () => {
    const printed = await sync(['status', one.listingId])
    assert.equal(printed.code, 0, printed.err)
    assert.match(printed.out, /^Status +completed$/m)
    assert.match(printed.out, /^In sync +yes$/m)
    const { code, out } = await sync(['status', one.listingId, '--json'])
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(out), await statusOf(owner, one))
  })

  test('prints all targets and the listings with problems, or those of one target', async () => {
    await fail(one, 11_000)
    const printed = await sync(['status'])
    assert.equal(printed.code, 0, printed.err)
    assert.match(printed.out, /^Target +Status +Circuit/m)
    const lines = printed.out.split('\n').filter((line) => / at Target /.test(line))
    assert.equal(lines.length, 1, printed.out)
    assert.match(lines[0]!, /^Unit \d+ at Target \d+ +failed .*refused/)
    const all = JSON.parse((await sync(['status', '--json'])).out)
    assert.equal(all.sync_statuses.length, 2)
    assert.equal(all.sync_targets.length, 2)
    const failed = JSON.parse((await sync(['status', '--failed', '--json'])).out)
    assert.deepEqual(listingsIn(failed.sync_statuses), [one.listingId])
    const rest = JSON.parse((await sync(['status', '--target', other.targetId, '--json'])).out)
    assert.deepEqual(listingsIn(rest.sync_statuses), [other.listingId])
    assert.deepEqual(
      rest.sync_targets.map((target: { channel_target_id: string }) => target.channel_target_id),
      [other.targetId],
    )
    assert.deepEqual(JSON.parse((await sync(['status', '--stale', '--json'])).out).sync_statuses, [])
  })
})

suite('vacancy sync trigger and replay', () => {
  test('one listing: waits until it is in sync', async () => {
    await fail(one, 12_000)
    const { code, out, err } = await sync(['trigger', one.listingId, '--json'])
    assert.equal(code, 0, err)
    assert.equal(err, '')
    const { queued, completed, failed, listings } = JSON.parse(out)
    assert.deepEqual([queued, completed, failed], [1, 1, 0])
    assert.equal(listings[0].status, 'completed')
    await world.settled()
    assert.equal((await statusOf(owner, one)).in_sync, true)
  })

  test('all: exits with 1 and reports how many failed and why', async () => {
    await addPmsFault(world, one, { mode: 'refuse', status: 422, calendar: true })
    await setPrice(owner, one, 13_000)
    const { code, out, err } = await sync(['trigger', '--all'])
    assert.equal(code, 1, err)
    assert.equal(err, '', 'nothing is drawn where there is no terminal')
    assert.match(
      out,
      /^1 listing in sync\.\n1 failed: 1 × validation_rejected\.\n {2}Unit \d+ at Target \d+: .+\n$/,
    )
    await clearPmsFaults(world)
    const retried = JSON.parse((await sync(['trigger', '--all', '--failed', '--json'])).out)
    assert.deepEqual([retried.queued, listingsIn(retried.listings)], [1, [one.listingId]])
    assert.equal((await sync(['trigger', '--all', '--failed'])).out, '0 listings requested.\n')
  })

  test('a target, everything, or without waiting', async () => {
    const before = (await callsFor(world, one)).length
    const full = await sync(['trigger', '--target', one.targetId, '--full', '--json'])
    assert.equal(full.code, 0, full.err)
    assert.deepEqual(listingsIn(JSON.parse(full.out).listings), [one.listingId])
    assert.ok((await callsFor(world, one)).length > before)
    const all = JSON.parse((await sync(['trigger', '--all', '--full', '--json'])).out)
    assert.deepEqual(listingsIn(all.listings), [one.listingId, other.listingId].sort())
    const requested = await sync(['trigger', '--all', '--no-wait'])
    assert.deepEqual([requested.code, requested.out], [0, '2 listings requested.\n'])
    await world.settled()
  })

  test('replay sends everything of a listing or a target again', async () => {
    for (const which of [[one.listingId], ['--target', one.targetId]]) {
      const before = (await callsFor(world, one)).length
      const { code, out, err } = await sync(['replay', ...which])
      assert.deepEqual([code, out], [0, '1 listing in sync.\n'], err)
      assert.ok((await callsFor(world, one)).length > before)
    }
  })
})

suite('vacancy sync diff', () => {
  test('exits with 0 when the PMS matches, and with 1 and the differences otherwise', async () => {
    const same = await sync(['diff', one.listingId])
    assert.equal(same.code, 0, same.err + same.out)
    assert.match(same.out, /^In sync, read back at /)
    const changed = await fetch(`${world.pms.url}/properties/${one.targetId}/units/${one.externalId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Someone else' }),
    })
    assert.equal(changed.status, 200)
    const printed = await sync(['diff', one.listingId])
    assert.equal(printed.code, 1, printed.err)
    assert.match(printed.out, /^name .*Someone else$/m)
    const { code, out } = await sync(['diff', one.listingId, '--json'])
    assert.equal(code, 1)
    assert.equal(JSON.parse(out).in_sync, false)
    await sync(['trigger', one.listingId])
    assert.equal((await sync(['diff', one.listingId])).code, 0)
  })
})

suite('vacancy sync watch', () => {
  for (const [name, args, line] of [
    ['a line for a person', [], /^\S+Z {2}completed {4}Unit \d+ at Target \d+$/m],
    [
      'a line of JSON for a program',
      ['--json'],
      /^\{"channel_listing_id":"[^"]+","status":"completed",.*\}$/m,
    ],
  ] as const)
    test(`prints each change as it happens: ${name}`, async () => {
      const watching = command.start(['watch', ...args])
      let out = ''
      watching.stdout!.on('data', (text) => (out += text))
      const ended = once(watching, 'close')
      let price = 20_000
      await until(
        async () => {
          await setPrice(owner, one, ++price)
          await world.settled()
          return out
        },
        (text) => line.test(text),
      )
      watching.kill('SIGINT')
      assert.deepEqual(await ended, [0, null])
      if (args.length > 0) for (const text of out.trim().split('\n')) JSON.parse(text)
    })
})

const listingsIn = (states: { channel_listing_id: string }[]) =>
  states.map(({ channel_listing_id }) => channel_listing_id).sort()

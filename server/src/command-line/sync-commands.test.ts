import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import type { TestCaller } from '../../test/caller.ts'
import { expectStatus } from '../../test/expect.ts'
import { unknownId } from '../../test/records.ts'
import { callsFor, calm, disturb, link, setPrice, statusOf, until, type Linked } from '../../test/stock.ts'
import { openWorld, type World } from '../../test/world.ts'

let world: World
let owner: TestCaller
let one: Linked
let other: Linked
const home = mkdtempSync(join(tmpdir(), 'vacancy-sync-command-'))

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  one = await link(owner)
  other = await link(owner)
  await world.settled()
})
afterEach(() => calm(world))
after(async () => {
  await world[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

async function fail(linked: Linked, priceCents: number) {
  await disturb(world, linked, { mode: 'refuse', status: 422, calendar: true })
  await setPrice(owner, linked, priceCents)
  await until(
    () => statusOf(owner, linked),
    ({ status }) => status === 'failed',
  )
  await calm(world)
}

suite('vacancy sync status', () => {
  test('of one listing: for a person, and for a program', async () => {
    const told = await sync(['status', one.listingId])
    assert.equal(told.code, 0, told.err)
    assert.match(told.out, /^Status +completed$/m)
    assert.match(told.out, /^In sync +yes$/m)
    const { code, out } = await sync(['status', one.listingId, '--json'])
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(out), await statusOf(owner, one))
  })

  test('of everything: targets, and only what is not well; of a target its own', async () => {
    await fail(one, 11_000)
    const told = await sync(['status'])
    assert.equal(told.code, 0, told.err)
    assert.match(told.out, /^Target +Status +Circuit/m)
    const lines = told.out.split('\n').filter((line) => / at Target /.test(line))
    assert.equal(lines.length, 1, told.out)
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
  test('one listing: waits until it has arrived', async () => {
    await fail(one, 12_000)
    const { code, out, err } = await sync(['trigger', one.listingId, '--json'])
    assert.equal(code, 0, err)
    assert.equal(err, '')
    const { queued, completed, failed, listings } = JSON.parse(out)
    assert.deepEqual([queued, completed, failed], [1, 1, 0])
    assert.deepEqual([listings[0].status, listings[0].in_sync], ['completed', true])
  })

  test('all: ends with 1, and says how many failed and why', async () => {
    await disturb(world, one, { mode: 'refuse', status: 422, calendar: true })
    await setPrice(owner, one, 13_000)
    const { code, out, err } = await sync(['trigger', '--all'])
    assert.equal(code, 1, err)
    assert.equal(err, '', 'nothing is drawn where there is no terminal')
    assert.match(
      out,
      /^1 listing in sync\.\n1 failed: 1 × validation_rejected\.\n {2}Unit \d+ at Target \d+: .+\n$/,
    )
    await calm(world)
    const retried = JSON.parse((await sync(['trigger', '--all', '--failed', '--json'])).out)
    assert.deepEqual([retried.queued, listingsIn(retried.listings)], [1, [one.listingId]])
    assert.equal((await sync(['trigger', '--all', '--failed'])).out, '0 listings asked for.\n')
  })

  test('a target, everything, or without waiting', async () => {
    const before = (await callsFor(world, one)).length
    const whole = await sync(['trigger', '--target', one.targetId, '--full', '--json'])
    assert.equal(whole.code, 0, whole.err)
    assert.deepEqual(listingsIn(JSON.parse(whole.out).listings), [one.listingId])
    assert.ok((await callsFor(world, one)).length > before)
    const all = JSON.parse((await sync(['trigger', '--all', '--full', '--json'])).out)
    assert.deepEqual(listingsIn(all.listings), [one.listingId, other.listingId].sort())
    const asked = await sync(['trigger', '--all', '--no-wait'])
    assert.deepEqual([asked.code, asked.out], [0, '2 listings asked for.\n'])
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
  test('ends with 0 when the PMS shows what is wanted, with 1 and the difference when not', async () => {
    const same = await sync(['diff', one.listingId])
    assert.equal(same.code, 0, same.err + same.out)
    assert.match(same.out, /^In sync, read back at /)
    const changed = await fetch(`${world.pms.url}/properties/${one.targetId}/units/${one.externalId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Someone else' }),
    })
    assert.equal(changed.status, 200)
    const told = await sync(['diff', one.listingId])
    assert.equal(told.code, 1, told.err)
    assert.match(told.out, /^name .*Someone else$/m)
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
    test(`tells each change as it happens: ${name}`, async () => {
      const watching = start(['watch', ...args])
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

suite('vacancy sync: what goes wrong has a code of its own', () => {
  const cases: [
    name: string,
    code: number,
    args: () => string[],
    env?: () => Promise<Record<string, string>>,
  ][] = [
    ['not understood', 2, () => ['trigger']],
    ['too much is named', 2, () => ['trigger', one.listingId, '--all']],
    ['no id', 2, () => ['status', 'one']],
    ['no date', 2, () => ['diff', one.listingId, '--from', 'today']],
    ['no address', 2, () => ['status', '--url', 'nowhere']],
    ['a bad token', 4, () => ['status', '--token', 'bad.token.here']],
    ['no token', 4, () => ['status'], () => Promise.resolve({ VACANCY_TOKEN: '' })],
    [
      'a role that may not',
      4,
      () => ['trigger', one.listingId],
      async () => ({ VACANCY_TOKEN: (await world.home.as('viewer')).token! }),
    ],
    ['unknown', 5, () => ['status', unknownId]],
    ['in conflict', 6, () => ['trigger', one.listingId, '--failed']],
    ['nobody there', 1, () => ['status', '--url', 'http://127.0.0.1:1']],
  ]
  for (const [name, expected, args, env] of cases)
    test(`${name}: ${expected}`, async () => {
      const { code, out, err } = await sync([...args(), '--json'], await env?.())
      assert.deepEqual([code, out], [expected, ''], err)
      if (!err.startsWith('error: ')) assert.ok((JSON.parse(err) as { error: string }).error)
    })

  test('too many requests: 8, once waiting is no use', async () => {
    const busy = createServer((_, response) =>
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '90' })
        .end('{"error":"Too Many Requests","retryAfter":90}'),
    ).listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
    const { code, err } = await sync(['status', '--url', url])
    busy.close()
    assert.equal(code, 8)
    assert.match(err, /^Too Many Requests: try again in 90 s\.\n$/)
  })

  test('another organization is not seen', async () => {
    const stranger = await world.away.as('owner')
    const { out } = await sync(['status', '--json'], { VACANCY_TOKEN: stranger.token! })
    assert.deepEqual(JSON.parse(out), { sync_targets: [], sync_statuses: [] })
    assert.equal((await sync(['diff', one.listingId], { VACANCY_TOKEN: stranger.token! })).code, 5)
    expectStatus(await stranger.get('/api/v1/sync/targets'), 200)
  })
})

const listingsIn = (states: { channel_listing_id: string }[]) =>
  states.map(({ channel_listing_id }) => channel_listing_id).sort()

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const program = resolve(import.meta.dirname, '../../bin/vacancy.ts')
  return spawn(process.execPath, [program, 'sync', ...args], {
    env: {
      PATH: process.env['PATH'],
      VACANCY_HOME: home,
      VACANCY_URL: world.url,
      VACANCY_TOKEN: owner.token!,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function sync(args: string[], env: Record<string, string> = {}) {
  const child = start(args, env)
  let out = ''
  let err = ''
  child.stdout!.on('data', (text) => (out += text))
  child.stderr!.on('data', (text) => (err += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

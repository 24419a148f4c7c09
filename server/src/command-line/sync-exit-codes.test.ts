import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { unknownId } from '#test/records.ts'
import { addLinkedUnit, type LinkedUnit } from '#test/linked-units.ts'
import { syncCommand, type SyncCommand } from '#test/sync-command.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller
let one: LinkedUnit
let command: SyncCommand
const sync = (args: string[], env?: Record<string, string>) => command.run(args, env)

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  one = await addLinkedUnit(owner)
  command = syncCommand(world.url, owner.token!)
  await world.settled()
})
after(async () => {
  await world[Symbol.asyncDispose]()
  command.close()
})

suite('vacancy sync: each kind of failure has its own exit code', () => {
  const cases: [
    name: string,
    code: number,
    args: () => string[],
    env?: () => Promise<Record<string, string>>,
  ][] = [
    ['usage error', 2, () => ['trigger']],
    ['two selections', 2, () => ['trigger', one.listingId, '--all']],
    ['an invalid id', 2, () => ['status', 'one']],
    ['an invalid date', 2, () => ['diff', one.listingId, '--from', 'today']],
    ['an invalid URL', 2, () => ['status', '--url', 'nowhere']],
    ['a bad token', 4, () => ['status', '--token', 'bad.token.here']],
    ['no token', 4, () => ['status'], () => Promise.resolve({ VACANCY_TOKEN: '' })],
    [
      'a role without permission',
      4,
      () => ['trigger', one.listingId],
      async () => ({ VACANCY_TOKEN: (await world.home.as('viewer')).token! }),
    ],
    ['unknown id', 5, () => ['status', unknownId]],
    ['conflict', 6, () => ['trigger', one.listingId, '--failed']],
    ['unreachable', 1, () => ['status', '--url', 'http://127.0.0.1:1']],
  ]
  for (const [name, expected, args, env] of cases)
    test(`${name}: ${expected}`, async () => {
      const { code, out, err } = await sync([...args(), '--json'], await env?.())
      assert.deepEqual([code, out], [expected, ''], err)
      if (!err.startsWith('error: ')) assert.ok((JSON.parse(err) as { error: string }).error)
    })

  test('too many requests: 8, when the wait would be too long', async () => {
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

  test('shows nothing of another organization', async () => {
    const stranger = await world.away.as('owner')
    const { out } = await sync(['status', '--json'], { VACANCY_TOKEN: stranger.token! })
    assert.deepEqual(JSON.parse(out), { sync_targets: [], sync_statuses: [] })
    assert.equal((await sync(['diff', one.listingId], { VACANCY_TOKEN: stranger.token! })).code, 5)
    expectStatus(await stranger.get('/api/v1/sync/targets'), 200)
  })
})

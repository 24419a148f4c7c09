import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import {
  addLinkedUnit,
  addPmsFault,
  clearPmsFaults,
  heldReply,
  historyOf,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { openEditedPms } from '#test/edited-pms.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

suite('sync failures: text that cannot be stored', () => {
  for (const [name, message] of [
    ['a U+0000', 'no\0thing'],
    ['a pair of surrogates at the place where it is cut', `${'x'.repeat(299)}😀`],
    ['half a pair of surrogates', 'odd \ud83d end'],
  ] as const)
    test(`${name} in the response of a PMS costs one attempt, like any refusal`, async () => {
      const server = createServer((_, reply) => {
        reply.writeHead(422, { 'content-type': 'application/json' })
        reply.end(JSON.stringify({ error: { code: 'invalid', message } }))
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      try {
        const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const linked = await addLinkedUnit(owner, { base_url })
        const failed = await until(
          () => statusOf(owner, linked),
          ({ status }) => status === 'failed',
        )
        assert.equal(failed.attempts, 1)
        assert.match(failed.error_message ?? '', /refused the values/)
      } finally {
        server.close()
        server.closeAllConnections()
      }
    })
})

suite('sync: text that the PMS shows and that cannot be stored', () => {
  for (const [name, shown] of [
    ['Odd\\u0000name', 'Oddname'],
    ['Odd \\ud83d', 'Odd \ufffd'],
  ] as const)
    test(`${name} is a difference like any other`, async () => {
      let isOdd = false
      await using pms = await openEditedPms(world.pms.url, (request, text) =>
        isOdd && request.startsWith('GET') ? text.replace(/"name":"Unit \d+"/, `"name":"${name}"`) : text,
      )
      const linked = await addLinkedUnit(owner, { base_url: pms.url })
      await until(
        () => statusOf(owner, linked),
        ({ status, in_sync }) => status === 'completed' && in_sync,
      )
      isOdd = true
      await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
      const history = await until(
        () => historyOf(owner, linked),
        (entries) => entries.some(({ action }) => action === 'sync.repaired'),
      )
      const { changes } = history.find(({ action }) => action === 'sync.repaired')!
      assert.deepEqual(
        changes.map(({ field, before }) => [field, before]),
        [['name', shown]],
      )
    })
})

suite('sync failures: pushes that cannot be sent', () => {
  const failing = async (linked: LinkedUnit) =>
    await until(
      () => statusOf(owner, linked),
      ({ error_message }) => error_message !== null,
    )

  test('refuses a property called .. before it becomes part of a URL', async () => {
    assert.match(
      (await failing(await addLinkedUnit(owner, { property_ref: '..' }))).error_message ?? '',
      /\.\. is not a valid id/,
    )
  })

  test('reports credentials that no key decrypts, at the listing and the target', async () => {
    const linked = await addLinkedUnit(owner, { credentials: { api_key: 'key-1' } })
    await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
    )
    const database = openOwner(world.databaseUrl)
    try {
      await database.pipelined({ orgId: null }, [
        sql`update channel_targets set credentials = '\\x036f6c640011' where id = ${linked.targetId}`,
      ])
    } finally {
      await database.close()
    }
    await setPrice(owner, linked, 42_000)
    const failed = await failing(linked)
    assert.deepEqual(
      [failed.attempts, failed.error_message],
      [1, 'The stored credentials cannot be decrypted.'],
    )
    const target = `/api/v1/channel-targets/${linked.targetId}`
    const { config } = (await owner.get(target)).body.channel_target
    await owner.put(target, { channel_type: 'pms', name: 'Checked', config })
    await until(
      () => owner.get(target),
      ({ body }) => body.channel_target.error_message === 'The stored credentials cannot be decrypted.',
    )
  })
})

suite('sync failures: lost database', () => {
  test('repeats the push when the database is lost while its result is saved', async () => {
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
    )
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 41_000)
    const database = openOwner(world.databaseUrl)
    try {
      await database.transaction({ orgId: null }, async (holder) => {
        await until(
          () => statusOf(owner, linked),
          ({ status }) => status === 'in_progress',
        )
        await holder.run(
          sql`select 1 from listing_syncs where channel_listing_id = ${linked.listingId} for update`,
        )
        await clearPmsFaults(world)
        await until(
          () =>
            holder.run(sql`select pg_terminate_backend(pid) from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database()`),
          (ended) => ended.length > 0,
        )
      })
    } finally {
      await database.close()
    }
    await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
    )
  })
})

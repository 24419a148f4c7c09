import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addPmsFault, addLinkedUnit, setPrice, statusOf, until } from '#test/linked-units.ts'
import { followSyncs } from '#test/sync-stream.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

suite('sync stream', () => {
  test('sends each state as it changes', async () => {
    const linked = await addLinkedUnit(owner, { debounce_ms: 10_000 })
    await until(
      () => statusOf(owner, linked),
      ({ verification }) => verification === 'verified',
    )
    await using stream = await followSyncs(world.url, owner)
    await until(
      async () => stream.received.map(({ event }) => event),
      (events) => events[0] === 'hello',
    )
    await addPmsFault(world, linked, { mode: 'slow', delay_ms: 200, times: 1 })
    await setPrice(owner, linked, 11_111) // waits a quarter of a second: a push ended just now
    // The verification that ended before the stream began may still be announced on it.
    const states = () => {
      const seen = stream.received
        .filter(({ data }) => data.channel_listing_id === linked.listingId)
        .map(({ data }) => `${data.status} ${data.verification}`)
      return seen.slice(seen.findIndex((state) => state !== 'completed verified'))
    }
    assert.deepEqual(
      await until(
        async () => states(),
        (seen) => seen.length > 1 && seen.at(-1) === 'completed verified',
      ),
      ['pending verified', 'in_progress verified', 'completed pending', 'completed verified'],
    )
    const { data } = stream.received.at(-1)!
    assert.deepEqual(data, await statusOf(owner, linked))
  })

  test('never sends states of another organization', async () => {
    const stranger = await world.away.as('owner')
    await using theirs = await followSyncs(world.url, stranger)
    await using ours = await followSyncs(world.url, owner)
    const linked = await addLinkedUnit(owner)
    await until(
      async () => ours.received.length,
      (count) => count > 2,
    )
    assert.ok(ours.received.some(({ data }) => data.channel_listing_id === linked.listingId))
    assert.deepEqual(
      theirs.received.map(({ event }) => event),
      ['hello'],
    )
  })

  test('returns 401 without a token', async () => {
    assert.equal((await world.caller(null).get('/api/v1/sync/stream')).status, 401)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  addLinkedUnit,
  addPmsFault,
  clearPmsFaults,
  heldReply,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { followSyncs } from '#test/sync-stream.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

suite('sync stream', () => {
  test('sends each state as it changes', async () => {
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ verification }) => verification === 'verified',
    )
    await using stream = await followSyncs(world.url, owner)
    await until(
      async () => stream.received.map(({ event }) => event),
      (events) => events[0] === 'hello',
    )
    // The verification that ended before the stream began may still be announced on it.
    const states = () => {
      const seen = stream.received
        .filter(({ data }) => data.channel_listing_id === linked.listingId)
        .map(({ data }) => `${data.status} ${data.verification}`)
      return seen.slice(seen.findIndex((state) => state !== 'completed verified'))
    }
    const shows = (state: string) =>
      until(
        async () => states(),
        (seen) => seen.at(-1) === state,
      )
    await addPmsFault(world, linked, heldReply)
    await world.withoutWorkers(async () => {
      await setPrice(owner, linked, 11_111)
      await shows('pending verified')
    })
    await shows('in_progress verified')
    await clearPmsFaults(world)
    const seen = await shows('completed verified')
    // A state is read when it is sent: the read-back may be done by then.
    const passing = 'completed pending'
    assert.deepEqual(
      seen.filter((state) => state !== passing),
      ['pending verified', 'in_progress verified', 'completed verified'],
    )
    assert.ok([-1, 2].includes(seen.indexOf(passing)), seen.join())
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

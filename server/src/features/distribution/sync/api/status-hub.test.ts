import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/linked-units.ts'
import { createStatusHub, type ReadStatuses } from './statuses.ts'

/** Which followers receive which of the changes that the database notifies. */

const org = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const listing = (n: number) => `11111111-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Waits until a list has this length. */
const long = (list: readonly unknown[], length: number) =>
  until(
    async () => list.length,
    (now) => now >= length,
  )

/** Follows an organization; each state is answered by the number of reads until then. */
function open(read: (orgId: string, ids: readonly string[]) => void | Promise<void>) {
  const reads: string[][] = []
  const answer: ReadStatuses = async (orgId, ids) => {
    reads.push([...ids])
    await read(orgId, ids)
    return ids.map((id) => `${id} ${reads.length}`)
  }
  const live = createStatusHub(answer)
  const follow = (orgId: string) => {
    const received: string[] = []
    const follower = {
      changed: (status: string) => received.push(status),
      ended: () => received.push('ended'),
    }
    return { received, unfollow: live.follow(orgId, follower) }
  }
  const changed = (of: string, id: string) => live.notified(`${of} ${id}`)
  return { reads, live, follow, changed }
}

suite('status hub', () => {
  test('reads states of simultaneous notifications together, and later ones again', async () => {
    const held = Promise.withResolvers<void>()
    const { reads, follow, changed } = open(() => held.promise)
    const { received } = follow(org(1))
    for (const n of [1, 2, 1]) changed(org(1), listing(n))
    await long(reads, 1)
    changed(org(1), listing(2))
    changed(org(1), listing(2))
    held.resolve()
    await long(received, 3)
    assert.deepEqual(reads, [[listing(1), listing(2)], [listing(2)]])
    assert.deepEqual(received, [`${listing(1)} 1`, `${listing(2)} 1`, `${listing(2)} 2`])
    changed(org(1), listing(3))
    await long(received, 4)
    assert.equal(received.at(-1), `${listing(3)} 3`)
  })

  test('publishes each listing of a notification', async () => {
    const { reads, follow, live } = open(() => {})
    const { received } = follow(org(1))
    live.notified([org(1), listing(1), listing(2), listing(3)].join(' '))
    await long(received, 3)
    assert.deepEqual(reads, [[listing(1), listing(2), listing(3)]])
    assert.deepEqual(
      received,
      [1, 2, 3].map((n) => `${listing(n)} 1`),
    )
  })

  test('reads nothing for an organization without subscribers', async () => {
    const { reads, follow, changed, live } = open(() => {})
    const { unfollow, received } = follow(org(1))
    changed(org(2), listing(1))
    unfollow()
    changed(org(1), listing(1))
    await sleep(50)
    assert.deepEqual([reads, received, live.followers()], [[], [], 0])
  })

  test('reads one organization after the other, and a failure affects only its own', async () => {
    const held = Promise.withResolvers<void>()
    const { reads, follow, changed } = open((orgId) => (orgId === org(1) ? held.promise : undefined))
    const [one, other] = [follow(org(1)), follow(org(2))]
    changed(org(1), listing(1))
    changed(org(2), listing(2))
    await long(reads, 1)
    await sleep(50)
    assert.equal(reads.length, 1)
    held.reject(new Error('away'))
    await long(other.received, 1)
    assert.deepEqual([one.received, other.received], [['ended'], [`${listing(2)} 2`]])
  })

  test('reads many listings in batches, each once', async () => {
    const { reads, follow, changed } = open(() => {})
    const { received } = follow(org(1))
    for (let n = 0; n < 1_200; n++) changed(org(1), listing(n))
    await long(received, 1_200)
    assert.deepEqual(
      reads.map(({ length }) => length),
      [500, 500, 200],
    )
    assert.equal(new Set(received.map((words) => words.slice(0, 36))).size, 1_200)
  })

  test('ends the streams when states cannot be read, and serves later ones', async () => {
    let isAway = true
    const { follow, changed } = open(() => (isAway ? Promise.reject(new Error('away')) : undefined))
    const before = follow(org(1))
    changed(org(1), listing(1))
    await long(before.received, 1)
    assert.deepEqual(before.received, ['ended'])
    before.unfollow()
    isAway = false
    const after = follow(org(1))
    changed(org(1), listing(1))
    await long(after.received, 1)
    assert.deepEqual(after.received, [`${listing(1)} 2`])
  })
})

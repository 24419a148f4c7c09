import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import {
  assertFailure,
  assertShows,
  buildChange,
  content,
  pmsControl,
  nights,
  buildUpdate,
  pushAll,
  readOne,
  type PmsFixture,
} from '#test/pms-fixture.ts'
import { pmsFixtures } from '#test/pms-fixtures.ts'
import type { PmsConnection } from './pms.ts'
import { PmsFailure } from './pms-failure.ts'

/** Every provider passes each call through the rate limiter, stops when it is aborted, and applies a push once. */

for (const [name, open] of Object.entries(pmsFixtures))
  suite(name, () => {
    let bench: PmsFixture
    let pms: PmsConnection
    let door: ReturnType<typeof pmsControl>
    before(async () => {
      bench = await open()
      pms = bench.connect()
      door = pmsControl(bench.url)
      // What is fetched once, such as a token, is not what is tested here.
      await pms.checkAccess({})
    })
    afterEach(() => door.noFaults())
    after(() => bench[Symbol.asyncDispose]())

    const change = (index: number, value: number) => buildChange(bench, index, value)

    test('every call passes the rate limiter, which receives each response', async () => {
      const rateLimiter = openGate()
      const call = { rateLimiter }
      const sent = [change(0, 8), change(1, 9), buildUpdate(bench.units[2]!, { changedFields: 'all' })]
      const draft = {
        content: { ...content, name: 'Gate' },
        plans: [],
        linkedIds: [],
        idempotencyKey: 'gate',
      }
      const arrived = await door.arriving(async () => {
        await pms.push(sent, call)
        await pms.readUnits(bench.units, nights(1, 5), call)
        await pms.listOffers(call)
        await pms.createUnit({ ...draft, content: { ...draft.content, quantity: 1 } }, call)
        await pms.checkAccess(call)
      })
      assert.ok(arrived >= 7)
      assert.deepEqual([rateLimiter.passed, rateLimiter.received], [arrived, arrived])
      await door.fault({ mode: 'down' })
      assert.equal(await door.arriving(() => pms.push(sent, call)), rateLimiter.passed - arrived)
      assert.equal(rateLimiter.received, rateLimiter.passed)
      for (const { kind } of bench.provider.budgets) assert.ok(rateLimiter.kinds.has(kind), kind)
    })

    for (const open of [0, 1, 2])
      test(`a rateLimiter that shuts after ${open} calls ends the push there`, async () => {
        const rateLimiter = openGate(open)
        const sent = bench.units.map((_, index) => change(index, 10 + index))
        let deliveries: Awaited<ReturnType<PmsConnection['push']>> | undefined
        const arrived = await door.arriving(async () => (deliveries = await pms.push(sent, { rateLimiter })))
        assert.equal(arrived, open)
        assert.ok(
          rateLimiter.asked <= open + 4,
          `${rateLimiter.asked} calls were tried: after the refusal of one, only those under way may be`,
        )
        const failures = sent
          .map(({ id }) => deliveries!.get(id)!.failure)
          .filter((failure) => failure !== null)
        // Whose calls are done is done: that can be an update or two.
        assert.ok(failures.length >= sent.length - open && failures.length > 0)
        for (const failure of failures) {
          assertFailure(bench, failure, 'rate_limited')
          assert.equal(failure.isThrottledLocally, true)
        }
        await pushAll(pms, sent)
        for (const one of sent) assertShows(await readOne(pms, one), one)
      })

    test('nights are closed first: they are when only the first calls of a push are made', async () => {
      const [opening, closing] = [bench.units[3]!, bench.units[4]!]
      const open = { rooms: [{ ...nights(1, 120), available: 4 }] }
      await pushAll(pms, [buildUpdate(opening, open), buildUpdate(closing, open)])
      const rooms = Array.from({ length: 120 }, (_, n) => ({ ...nights(n + 1), available: 1 + (n % 3) }))
      const closed = { rooms: [{ ...nights(1, 3), available: 0 }] }
      const named = { content: { ...content, name: 'Later' }, changedFields: ['name'] as const }
      // One may be needed to look up how the units are written.
      const rateLimiter = openGate(2)
      const sent = [buildUpdate(opening, { ...named, rooms }), buildUpdate(closing, { ...named, ...closed })]
      await pms.push(sent, { rateLimiter })
      assertShows(await readOne(pms, closing), { ...closed, rates: [] })
    })

    test('a token is fetched once for all connections, and again when it has ended', async () => {
      const check = () => bench.connect().checkAccess({})
      assert.equal(await door.arriving(check), 1, 'the next connection needs no new token')
      if (!bench.endTokens) return
      await bench.endTokens()
      const arrived = await door.arriving(() => Promise.all([check(), check(), check()]))
      assert.ok(arrived <= 7, `three refused calls, one token, three calls, not ${arrived}`)
      await bench.endTokens()
      await pushAll(bench.connect(), [change(0, 14), change(1, 14)])
    })

    test('a push that is called off sends nothing more', async () => {
      const signal = AbortSignal.abort()
      const sent = [change(0, 13), change(1, 13)]
      assert.equal(
        await door.arriving(async () => {
          const deliveries = await pms.push(sent, { signal })
          assert.ok([...deliveries.values()].every(({ failure }) => failure?.retryable))
        }),
        0,
      )
    })
    test('a unit whose making got no reply is found again and not made twice', async () => {
      const draft = {
        content: { ...content, name: 'Lost loft', quantity: 1 },
        plans: bench.units[0]!.plans.map(({ plan }, n) => ({ plan, name: `Plan ${n}`, isDefault: n === 0 })),
        linkedIds: bench.units.map(({ externalId }) => externalId),
        idempotencyKey: 'lost',
      }
      // Of the calls of one attempt, each in turn loses its reply.
      let made: Awaited<ReturnType<PmsConnection['createUnit']>> | undefined
      const before = (await pms.listOffers({})).length
      let countdown = 0
      for (let lost = 1; !made; lost += 1) {
        countdown = lost
        made = await pms
          .createUnit(draft, {
            rateLimiter: {
              async acquire() {
                countdown -= 1
                if (countdown === 0) await door.fault({ mode: 'lose_reply', times: 1 })
              },
              recordResponse() {},
              recordFailure() {},
            },
          })
          .catch((error: unknown) => {
            assertFailure(bench, error, 'network')
            return undefined
          })
        assert.ok(lost < 20)
      }
      await door.noFaults()
      assert.deepEqual(await pms.createUnit(draft, {}), made)
      await pushAll(pms, [buildUpdate(made, { changedFields: 'all', content: draft.content })])
      assert.equal((await pms.listOffers({})).length, before + 1)
    })
  })

/** A rate limiter that counts, and refuses after this many calls. */
function openGate(maxCalls = Infinity) {
  return {
    asked: 0,
    passed: 0,
    received: 0,
    kinds: new Set<string>(),
    async acquire(kind: string) {
      this.asked += 1
      if (this.asked > maxCalls)
        throw new PmsFailure('rate_limited', 'The rate limiter is shut.', {
          hint: 'Wait for it.',
          isThrottledLocally: true,
        })
      this.passed += 1
      this.kinds.add(kind)
      return Promise.resolve()
    },
    recordResponse() {
      this.received += 1
    },
    recordFailure() {
      this.received += 1
    },
  }
}

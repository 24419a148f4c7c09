import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import {
  assertFailure,
  assertShows,
  changeOf,
  content,
  controlDoor,
  nights,
  parcel,
  pushAll,
  readOne,
  type Bench,
} from '../../../test/pms-bench.ts'
import { benches } from '../../../test/pms-benches.ts'
import type { PmsConnection } from './pms.ts'
import { PmsFailure } from './pms-failure.ts'

/** Every provider lets each of its calls through the gate, stops when it is told to, and does once what is asked. */

for (const [name, open] of Object.entries(benches))
  suite(name, () => {
    let bench: Bench
    let pms: PmsConnection
    let door: ReturnType<typeof controlDoor>
    before(async () => {
      bench = await open()
      pms = bench.connect()
      door = controlDoor(bench.url)
      // What is fetched once, such as a token, is not what is tested here.
      await pms.check({})
    })
    afterEach(() => door.noFaults())
    after(() => bench[Symbol.asyncDispose]())

    const change = (index: number, value: number) => changeOf(bench, index, value)

    test('every call passes the gate, which hears of each', async () => {
      const gate = openGate()
      const call = { gate }
      const said = [change(0, 8), change(1, 9), parcel(bench.units[2]!, { differing: 'whole' })]
      const draft = { content: { ...content, name: 'Gate' }, plans: [], taken: [], idempotencyKey: 'gate' }
      const arrived = await door.arriving(async () => {
        await pms.push(said, call)
        await pms.read(bench.units, nights(1, 5), call)
        await pms.offers(call)
        await pms.create({ ...draft, content: { ...draft.content, quantity: 1 } }, call)
        await pms.check(call)
      })
      assert.ok(arrived >= 7)
      assert.deepEqual([gate.passed, gate.heard], [arrived, arrived])
      await door.fault({ mode: 'down' })
      assert.equal(await door.arriving(() => pms.push(said, call)), gate.passed - arrived)
      assert.equal(gate.heard, gate.passed)
      for (const { kind } of bench.provider.budgets) assert.ok(gate.kinds.has(kind), kind)
    })

    for (const open of [0, 1, 2])
      test(`a gate that shuts after ${open} calls ends the push there`, async () => {
        const gate = openGate(open)
        const said = bench.units.map((_, index) => change(index, 10 + index))
        let deliveries: Awaited<ReturnType<PmsConnection['push']>> | undefined
        const arrived = await door.arriving(async () => (deliveries = await pms.push(said, { gate })))
        assert.equal(arrived, open)
        assert.ok(gate.asked <= open + 4, 'it knocks no more than hands are at work')
        const failures = said
          .map(({ id }) => deliveries!.get(id)!.failure)
          .filter((failure) => failure !== null)
        // Whose calls are done is done: that can be a parcel or two.
        assert.ok(failures.length >= said.length - open && failures.length > 0)
        for (const failure of failures) {
          assertFailure(bench, failure, 'rate_limited')
          assert.equal(failure.isHeldBack, true)
        }
        await pushAll(pms, said)
        for (const one of said) assertShows(await readOne(pms, one), one)
      })

    test('a push that is called off sends nothing more', async () => {
      const signal = AbortSignal.abort()
      const said = [change(0, 13), change(1, 13)]
      assert.equal(
        await door.arriving(async () => {
          const deliveries = await pms.push(said, { signal })
          assert.ok([...deliveries.values()].every(({ failure }) => failure?.retryable))
        }),
        0,
      )
    })
    test('a unit whose making got no reply is found again and not made twice', async () => {
      const draft = {
        content: { ...content, name: 'Lost loft', quantity: 1 },
        plans: bench.units[0]!.plans.map(({ plan }, n) => ({ plan, name: `Plan ${n}`, isDefault: n === 0 })),
        taken: bench.units.map(({ externalId }) => externalId),
        idempotencyKey: 'lost',
      }
      // Of the calls of one attempt, each in turn loses its reply.
      let made: Awaited<ReturnType<PmsConnection['create']>> | undefined
      const before = (await pms.offers({})).length
      let countdown = 0
      for (let lost = 1; !made; lost += 1) {
        countdown = lost
        made = await pms
          .create(draft, {
            gate: {
              async pass() {
                countdown -= 1
                if (countdown === 0) await door.fault({ mode: 'lose_reply', times: 1 })
              },
              answered() {},
              failed() {},
            },
          })
          .catch((error: unknown) => {
            assertFailure(bench, error, 'network')
            return undefined
          })
        assert.ok(lost < 20)
      }
      await door.noFaults()
      assert.deepEqual(await pms.create(draft, {}), made)
      await pushAll(pms, [parcel(made, { differing: 'whole', content: draft.content })])
      assert.equal((await pms.offers({})).length, before + 1)
    })
  })

/** A gate that counts, and shuts after so many calls. */
function openGate(mostCalls = Infinity) {
  return {
    asked: 0,
    passed: 0,
    heard: 0,
    kinds: new Set<string>(),
    async pass(kind: string) {
      this.asked += 1
      if (this.asked > mostCalls)
        throw new PmsFailure('rate_limited', 'The gate is shut.', { hint: 'Wait for it.', isHeldBack: true })
      this.passed += 1
      this.kinds.add(kind)
      return Promise.resolve()
    },
    answered() {
      this.heard += 1
    },
    failed() {
      this.heard += 1
    },
  }
}

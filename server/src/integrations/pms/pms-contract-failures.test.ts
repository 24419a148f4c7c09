import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import {
  assertFailure,
  assertShows,
  byNight,
  buildChange,
  pmsControl,
  nights,
  pushAll,
  ratesOf,
  readOne,
  type PmsFixture,
} from '#test/pms-fixture.ts'
import { pmsFixtures } from '#test/pms-fixtures.ts'
import type { CallContext } from './pms-call.ts'
import type { UnitUpdate, PmsConnection } from './pms.ts'

/** The failures of every provider: the same codes, for the units concerned only, and accepted values stay accepted. */

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

    async function assertNothingTaken(
      sent: readonly UnitUpdate[],
      code: string,
      connection = pms,
      call: CallContext = {},
    ) {
      const deliveries = await connection.push(sent, call)
      for (const { id } of sent) {
        const { failure, contentAccepted, acceptedRooms, acceptedRates } = deliveries.get(id)!
        assertFailure(bench, failure, code)
        assert.deepEqual([contentAccepted, acceptedRooms, acceptedRates], [false, [], []])
      }
      return sent.map(({ id }) => deliveries.get(id)!.failure!)
    }

    /** Every other way to ask fails alike. */
    async function assertAllFail(connection: PmsConnection, code: string) {
      for (const ask of [
        () => connection.checkAccess({}),
        () => connection.listOffers({}),
        () => connection.readUnits(bench.units, nights(1, 5), {}),
      ])
        await assert.rejects(ask(), (error) => {
          assertFailure(bench, error, code)
          return true
        })
    }

    test('wrong credentials are refused, whatever is asked', async () => {
      const stranger = bench.connect({ wrongKey: true })
      const failures = await assertNothingTaken([change(0, 1), change(1, 1)], 'auth_rejected', stranger)
      assert.ok(failures.every(({ retryable }) => !retryable))
      await assertAllFail(stranger, 'auth_rejected')
    })

    test('a unit that it does not know is shown as nothing, and is made or refused alone', async () => {
      const { unknownUnit: stranger, createsUnknownUnits: makesStrangers } = bench
      const shown = await pms.readUnits([stranger, bench.units[0]!], nights(1, 5), {})
      assert.equal(shown.get(stranger.externalId), null)
      assert.ok(shown.get(bench.units[0]!.externalId))
      const known = change(0, 2)
      const unknown = {
        ...change(1, 2),
        ...stranger,
        rates: ratesOf(stranger, () => ({ ...nights(1), price_cents: 7 })),
      }
      const deliveries = await pms.push([unknown, known], {})
      assert.equal(deliveries.get(known.id)!.failure, null)
      assertShows(await readOne(pms, bench.units[0]!), known)
      if (!makesStrangers)
        return assertFailure(bench, deliveries.get(unknown.id)!.failure, 'mapping_not_found')
      assert.equal(deliveries.get(unknown.id)!.failure, null)
      assertShows(await readOne(pms, stranger), unknown)
    })

    test('a refused value fails only its own update', async () => {
      const before = byNight(await readOne(pms, bench.units[1]!))
      const refused = { plan: bench.units[1]!.plans.at(-1)!.plan, ...nights(30), min_stay_arrival: -1 }
      const bad = { ...change(1, 3), rates: [refused], rooms: [] }
      const good = [change(0, 3), change(2, 3)]
      const deliveries = await pms.push([good[0]!, bad, good[1]!], {})
      const { failure, acceptedRates } = deliveries.get(bad.id)!
      assert.ok(failure && ['partial_rejection', 'validation_rejected'].includes(failure.code), failure?.code)
      assertFailure(bench, failure, failure.code)
      assert.equal(failure.retryable, false)
      assert.deepEqual(acceptedRates, [])
      assert.deepEqual(byNight(await readOne(pms, bench.units[1]!)), before)
      for (const one of good) {
        assert.equal(deliveries.get(one.id)!.failure, null)
        assertShows(await readOne(pms, one), one)
      }
    })

    test('too many calls: the failure has the time of the next attempt, if the PMS sends one', async () => {
      await door.fault({ mode: 'refuse', status: 429, retry_after: 70 })
      const now = Date.now()
      for (const { retryAfter, retryable } of await assertNothingTaken(
        [change(0, 4), change(1, 4)],
        'rate_limited',
      )) {
        assert.ok(retryable)
        assert.ok(
          retryAfter && retryAfter.getTime() >= now + 69_000,
          `retryAfter is ${String(retryAfter)}, not the time that Retry-After names`,
        )
      }
      await door.noFaults()
      await door.fault({ mode: 'refuse', status: 429 })
      const all = bench.units.map((_, index) => change(index, 4))
      const arrived = await door.arriving(() => assertNothingTaken(all, 'rate_limited'))
      assert.ok(arrived <= 4, `${arrived} calls, although the PMS refuses all of them`)
      await assertAllFail(pms, 'rate_limited')
    })

    for (const [what, rule, code] of [
      ['no reply', { mode: 'down' }, 'network'],
      ['what is no JSON', { mode: 'garbage' }, 'pms_unavailable'],
      ['JSON of another shape', { mode: 'garbage', code: 'shape' }, 'pms_unavailable'],
      ['trouble', { mode: 'refuse', status: 503 }, 'pms_unavailable'],
      ['an error of its own', { mode: 'refuse', status: 500 }, 'pms_unavailable'],
      ['an error of its gateway', { mode: 'refuse', status: 502 }, 'pms_unavailable'],
      ['a request that it waited for too long', { mode: 'refuse', status: 408 }, 'pms_unavailable'],
    ] as const)
      test(`${what} is ${code}, and worth another attempt`, async () => {
        await door.fault(rule)
        const failures = await assertNothingTaken([change(0, 5), change(1, 5)], code)
        assert.ok(failures.every(({ retryable }) => retryable))
        await assertNothingTaken([{ ...change(0, 5), rooms: [], rates: [] }], code)
        await assertNothingTaken([{ ...change(0, 5), changedFields: 'all', rooms: [], rates: [] }], code)
        await assertAllFail(pms, code)
      })

    for (const part of ['rooms', 'rates', 'content'] as const)
      test(`a refusal of ${part} is reported, and nothing counts as accepted`, async () => {
        await door.fault({ mode: 'refuse', status: 422 })
        const nothing = { rooms: [], rates: [], changedFields: [] }
        const { [part === 'content' ? 'changedFields' : part]: values } = change(0, 6)
        const sent = { ...change(0, 6), ...nothing, [part === 'content' ? 'changedFields' : part]: values }
        const result = (await pms.push([sent], {})).get(sent.id)!
        assertFailure(bench, result.failure, 'validation_rejected')
        assert.equal(result.failure.retryable, false)
        assert.deepEqual([result.acceptedRooms, result.acceptedRates], [[], []])
        if (part === 'content') assert.equal(result.contentAccepted, false)
      })

    test('silence is a timeout', async () => {
      await door.fault({ mode: 'hang' })
      const impatient = bench.connect({ timeoutMs: 300 })
      const failures = await assertNothingTaken([change(0, 6)], 'timeout', impatient)
      assert.ok(failures.every(({ retryable }) => retryable))
    })

    test('an address without a server is a network failure', async () => {
      const nowhere = bench.connect({ baseUrl: 'http://127.0.0.1:1' })
      await assertNothingTaken([change(0, 6)], 'network', nowhere)
      await assertAllFail(nowhere, 'network')
    })

    test('words of the PMS that repeat a credential are kept without it', async () => {
      await door.fault({ mode: 'refuse', status: 422, code: `not with ${bench.secrets[0]!}` })
      const sent = change(0, 6)
      const { failure, exchanges } = (await pms.push([sent], {})).get(sent.id)!
      assertFailure(bench, failure, failure?.code ?? 'validation_rejected')
      assert.ok(exchanges.length > 0)
      assert.ok(!JSON.stringify(exchanges).includes(bench.secrets[0]!))
    })

    test('a reply that is lost, and the same again, is the same state', async () => {
      const sent = [change(0, 7), change(1, 7)]
      await door.fault({ mode: 'lose_reply', times: 1 })
      const deliveries = await pms.push(sent, {})
      assert.ok([...deliveries.values()].some(({ failure }) => failure?.code === 'network'))
      await pushAll(pms, sent)
      for (const one of sent) {
        const shown = await readOne(pms, one)
        assertShows(shown, one)
        assert.equal(shown.content.name, 'Name 7')
      }
    })
  })

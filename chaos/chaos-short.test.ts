import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openHouse, type House } from './house.ts'
import { checks } from './check-ledger.ts'
import { losses } from './losses.ts'
import { killApis, killPostgres, killRedis, killWorkers, reckon } from './kills.ts'
import { startLoad, type Load } from './load.ts'
import { everything, rollOver } from './rolling.ts'
import { fillHouse, type Stock } from './stock.ts'

/** Two blows to each part while all are at work, and the ledger after that. `npm run chaos` strikes longer. */
suite('under load', () => {
  let house: House
  let stock: Stock
  let load: Load

  before(async () => {
    house = await openHouse()
    stock = await fillHouse(house)
    const lanes = { bookings: 2, prices: 2, messages: 1, payments: 1, reads: 1 }
    load = startLoad(house, stock, { lanes, paceMs: 100 })
  })
  after(() => house[Symbol.asyncDispose]())

  // That no connection is cut either is a matter of moments on a busy machine: `npm run chaos -- rolling-restart` says.
  test('processes that are asked to end and come back answer no request with a failure', async () => {
    await rollOver(everything(house), 1)
    assert.deepEqual([...load.tally.failures], [], load.tally.samples.join('\n'))
  })

  test('API processes are killed, and come back', async () => {
    const { readyMs } = await killApis(house, 2)
    assert.equal(readyMs.length, 2)
  })

  test('PostgreSQL is killed, and no process goes with it', async () => {
    const { readyMs } = await killPostgres(house, 2)
    assert.equal(readyMs.length, 2)
  })

  test('Redis is killed, and nobody notices', async (t) => {
    if (!house.redis) {
      assert.ok(!process.env['CI'], 'CI has a redis-server')
      return t.diagnostic('NOT TESTED HERE: there is no redis-server')
    }
    const before = failed(load)
    await killRedis(house, house.redis, 2)
    assert.deepEqual(failed(load), before, load.tally.samples.join('\n'))
  })

  test('workers are killed twice in one push, which ends well', async () => {
    const { pushMs } = await killWorkers(house, stock.priced[3]!, 1)
    assert.equal(pushMs.length, 1)
  })

  test('and everything that was acknowledged is there, once', async () => {
    const findings = await reckon(house, load)
    assert.deepEqual(
      findings.filter(({ holds }) => !holds),
      [],
    )
    const { bookings, messages, payments } = load.ledger
    assert.ok(bookings.size > 0 && messages.size > 0 && payments.size > 0, 'there was something to lose')
  })

  test('each kind of loss would have been noticed', async () => {
    for (const [name, breaks] of Object.entries(losses)) {
      await breaks(house, stock, load.ledger)
      const { wrong } = await checks[name]!({ house, ledger: load.ledger })
      assert.ok(wrong.length > 0, `nobody noticed: ${name}`)
    }
    assert.deepEqual(Object.keys(losses), Object.keys(checks))
  })
})

/** Requests that came to nothing, other than by a connection that nobody took. */
const failed = ({ tally }: Load) => [tally.lost, [...tally.failures]]

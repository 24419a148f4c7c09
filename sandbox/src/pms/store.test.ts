import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { callerOf, loft } from '../../test/pms-caller.ts'
import { startPms } from './server.ts'

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => (pms = await startPms()))
after(() => pms.close())

const call = callerOf(() => pms.url)

describe('the call log', () => {
  beforeEach(() => call('DELETE', '/_control/calls'))

  test('lists the calls in order, and can be read from a number on', async () => {
    const { last } = (await call('GET', '/_control/calls')).body
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await call('PUT', '/properties/p1/units/logged', loft, { 'idempotency-key': 'log', traceparent })
    await call('GET', '/properties/p1/units/none')
    const { calls } = (await call('GET', `/_control/calls?after=${last}`)).body
    const { at, ...put } = calls[0]
    assert.ok(!Number.isNaN(Date.parse(at)))
    assert.deepEqual(put, {
      n: last + 1,
      method: 'PUT',
      path: '/properties/p1/units/logged',
      property: 'p1',
      external_id: 'logged',
      status: 200,
      idempotency_key: 'log',
      traceparent,
      fault: null,
      body: loft,
    })
    assert.deepEqual([calls[1].n, calls[1].status, calls[1].body], [last + 2, 404, null])
    assert.equal((await call('GET', `/_control/calls?after=${last + 1}`)).body.calls.length, 1)
  })
})

describe('persistence', () => {
  const path = '/properties/p1/units/kept'
  const headers = { 'idempotency-key': 'kept' }
  let home: string
  before(() => (home = mkdtempSync(join(tmpdir(), 'pms-'))))
  after(() => rmSync(home, { recursive: true }))

  /** Starts a PMS on the state of the previous one, does some work with it, and stops it. */
  async function afterRestart(work: (call: ReturnType<typeof callerOf>) => Promise<void>) {
    const started = await startPms({ home })
    try {
      await work(callerOf(() => started.url))
    } finally {
      await started.close()
    }
  }

  test('units, revisions and used keys survive a restart, even with an incomplete line', async () => {
    let first: unknown
    let changed: unknown
    await afterRestart(async (call) => {
      first = (await call('PUT', path, loft, headers)).body
      changed = (await call('PATCH', path, { open: false })).body
    })
    appendFileSync(join(home, 'pms.jsonl'), '{"property":"p1","unit":{"ext')

    await afterRestart(async (call) => {
      assert.deepEqual((await call('GET', path)).body, changed)
      const replayed = await call('PUT', path, loft, headers)
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
      assert.deepEqual(replayed.body, first)
      assert.equal((await call('PATCH', path, { open: true })).body.unit.revision, 3)
    })

    await afterRestart(async (call) => {
      assert.equal((await call('GET', path)).body.unit.revision, 3)
      const lines = readFileSync(join(home, 'pms.jsonl'), 'utf8').trim().split('\n')
      assert.equal(lines.length, 2, 'one used key and one unit are left after compaction')
      assert.equal((await call('PUT', path, loft, headers)).headers.get('idempotent-replayed'), 'true')
    })
  })
})

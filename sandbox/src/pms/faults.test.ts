import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { loft as unit } from '../../test/pms-caller.ts'
import { startPms } from './server.ts'

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => (pms = await startPms()))
afterEach(() => fetch(`${pms.url}/_control/faults`, { method: 'DELETE' }))
after(() => pms.close())

function send(method: string, path: string, body?: unknown, signal: AbortSignal | null = null) {
  return fetch(pms.url + path, {
    method,
    signal,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
}

async function fault(rule: object) {
  const res = await send('PUT', '/_control/faults', rule)
  assert.equal(res.status, 200)
  return ((await res.json()) as { fault: { id: number } }).fault
}

async function lastCall() {
  const { calls } = (await (await send('GET', '/_control/calls')).json()) as {
    calls: Record<string, unknown>[]
  }
  return calls.at(-1)
}

test('down: no reply and no effect, for `times` calls', async () => {
  await fault({ mode: 'down', times: 1 })
  await assert.rejects(send('PUT', '/properties/p/units/down', unit), TypeError)
  assert.deepEqual([(await lastCall())?.fault, (await lastCall())?.status], ['down', null])
  assert.equal((await send('GET', '/properties/p/units/down')).status, 404)
})

test('lose_reply: the call takes effect, and the same key then replays it', async () => {
  await fault({ mode: 'lose_reply', times: 1 })
  const init = {
    method: 'PUT',
    body: JSON.stringify(unit),
    headers: { 'content-type': 'application/json', 'idempotency-key': 'lost' },
  }
  const url = `${pms.url}/properties/p/units/lost`
  await assert.rejects(fetch(url, init), TypeError)
  const kept = (await (await fetch(url)).json()) as { unit: { revision: number } }
  assert.equal(kept.unit.revision, 1)
  const again = await fetch(url, init)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await again.json(), kept)
})

test('lose_reply loses a refusal too', async () => {
  await fault({ mode: 'lose_reply', times: 1 })
  await assert.rejects(send('GET', '/properties/p/units/never'), TypeError)
})

test('slow: nothing happens before the delay, everything after it; the rule takes it along', async () => {
  await fault({ mode: 'slow', delay_ms: 60, times: 1 })
  assert.equal((await send('PUT', '/properties/p/units/late', unit)).status, 200)
  await fault({ mode: 'slow', delay_ms: 3_600_000, times: 1 })
  const slow = send('PUT', '/properties/p/units/slow', unit)
  while ((await lastCall())?.external_id !== 'slow') continue
  assert.equal((await lastCall())?.status, null)
  assert.equal((await send('GET', '/properties/p/units/slow')).status, 404)
  await fetch(`${pms.url}/_control/faults`, { method: 'DELETE' })
  assert.equal((await slow).status, 200)
  assert.equal((await send('GET', '/properties/p/units/slow')).status, 200)
})

test('hang: never answers, and does not stop the server from closing', async () => {
  const other = await startPms()
  await fetch(`${other.url}/_control/faults`, {
    method: 'PUT',
    body: '{"mode":"hang"}',
    headers: { 'content-type': 'application/json' },
  })
  const outcome = fetch(`${other.url}/health`).catch((error: unknown) => error)
  const last = async () => {
    const res = await fetch(`${other.url}/_control/calls`)
    return ((await res.json()) as { last: number }).last
  }
  while ((await last()) < 1) continue
  await other.close()
  assert.ok((await outcome) instanceof TypeError)
})

test('garbage: 200 with what is not JSON, or with JSON of another shape', async () => {
  await fault({ mode: 'garbage', times: 1 })
  await fault({ mode: 'garbage', code: 'shape', times: 1 })
  const text = await send('PUT', '/properties/p/units/g', unit)
  assert.equal(text.status, 200)
  await assert.rejects(text.json(), SyntaxError)
  const shape = (await (await send('PUT', '/properties/p/units/g', unit)).json()) as { unit: unknown }
  assert.ok(Array.isArray(shape.unit))
  assert.equal((await send('GET', '/properties/p/units/g')).status, 404)
})

for (const status of [400, 401, 403, 404, 409, 422, 429, 500, 502, 503]) {
  test(`refuse: ${status} with the error envelope and no effect`, async () => {
    await fault({ mode: 'refuse', status, times: 1 })
    const res = await send('PUT', `/properties/p/units/refused-${status}`, unit)
    assert.equal(res.status, status)
    const { error } = (await res.json()) as { error: { code: string; message: string } }
    assert.ok(error.code && error.message)
    assert.equal((await send('GET', `/properties/p/units/refused-${status}`)).status, 404)
  })
}

test('refuse: answers with the code and the retry-after of the rule', async () => {
  await fault({ mode: 'refuse', status: 503, code: 'maintenance', retry_after: 7, times: 1 })
  const res = await send('GET', '/health')
  assert.equal(res.headers.get('retry-after'), '7')
  assert.equal(((await res.json()) as { error: { code: string } }).error.code, 'maintenance')
})

test('rate_limit: counts calls in a window and sends retry-after', async () => {
  await fault({ mode: 'rate_limit', limit: 3, window_ms: 60_000 })
  const answers = []
  for (let n = 0; n < 5; n += 1) answers.push(await send('GET', '/health'))
  assert.deepEqual(
    answers.map((res) => res.status),
    [200, 200, 200, 429, 429],
  )
  const wait = Number(answers[4]?.headers.get('retry-after'))
  assert.ok(Number.isInteger(wait) && wait > 0 && wait <= 60)
})

test('rate_limit: the next window accepts calls again, and retry-after can be a date', async () => {
  await fault({ mode: 'rate_limit', limit: 1, window_ms: 1_500, retry_after: 'date' })
  assert.equal((await send('GET', '/health')).status, 200)
  const refused = await send('GET', '/health')
  assert.equal(refused.status, 429)
  const until = Date.parse(refused.headers.get('retry-after') ?? '')
  assert.ok(until > Date.now() - 1000)
  await new Promise((resolve) => setTimeout(resolve, Math.max(1_500, until - Date.now())))
  assert.equal((await send('GET', '/health')).status, 200)
})

test('a rule applies only to the property and unit it names', async () => {
  await fault({ mode: 'refuse', status: 500, property: 'p', external_id: 'ill' })
  assert.equal((await send('PUT', '/properties/p/units/ill', unit)).status, 500)
  assert.equal((await send('PUT', '/properties/p/units/well', unit)).status, 200)
  assert.equal((await send('PUT', '/properties/q/units/ill', unit)).status, 200)
  assert.equal((await send('GET', '/health')).status, 200)
})

test('rules are listed, used up and cleared, and never apply to the control routes', async () => {
  const { id } = await fault({ mode: 'refuse', status: 502, times: 2 })
  const list = async () => (await (await send('GET', '/_control/faults')).json()) as { faults: object[] }
  await send('GET', '/health')
  assert.deepEqual((await list()).faults, [{ id, mode: 'refuse', status: 502, times: 2, left: 1 }])
  await send('GET', '/health')
  assert.deepEqual((await list()).faults, [])
  await fault({ mode: 'down' })
  assert.equal((await send('DELETE', '/_control/faults')).status, 204)
  assert.equal((await send('GET', '/health')).status, 200)
})

test('the rules of one property are cleared alone', async () => {
  for (const property of ['p', 'q']) await fault({ mode: 'refuse', status: 500, property })
  assert.equal((await send('DELETE', '/_control/faults?property=p')).status, 204)
  assert.equal((await send('PUT', '/properties/p/units/any', unit)).status, 200)
  assert.equal((await send('PUT', '/properties/q/units/any', unit)).status, 500)
})

test('an invalid rule is refused', async () => {
  for (const rule of [
    {},
    [],
    { mode: 'explode' },
    { mode: 'down', tims: 1 },
    { mode: 'refuse', status: 200 },
  ]) {
    assert.equal((await send('PUT', '/_control/faults', rule)).status, 422)
  }
})

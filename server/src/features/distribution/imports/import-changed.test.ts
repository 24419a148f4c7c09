import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { countsOf, day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, owner, plan, run } = useImports()

/** A property of Channex with one room of three, and a target for it. */
async function startProperty() {
  const channex = await startChannex()
  opened.defer(() => channex.close())
  const { api, control } = channexCaller(() => channex.url)
  const room = { title: 'Double', count_of_rooms: 3, rate_plans: [{ title: 'Flexible' }] }
  const seeded = await control('POST', 'seed', {
    keys: [{ key: apiKey }],
    properties: [{ title: 'Harbour House', currency: 'EUR', timezone: 'UTC', room_types: [room] }],
  })
  const [{ id: property, room_types }] = seeded.body.properties
  const [{ id: roomId, rate_plans }] = room_types
  const nights = { property_id: property, date_from: day(0), date_to: day(499) }
  const values = [{ ...nights, rate_plan_id: rate_plans[0].id, rate: 12_000 }]
  assert.equal((await control('POST', 'values', { kind: 'restrictions', values })).status, 200)
  const config = { ...connection(channex.url, property), ...shortDebounce, ...unlimitedCalls }
  return {
    roomId: roomId as string,
    target: await addTarget(owner(), { config }),
    async change(method: string, path: string, body?: object) {
      const { status } = await api(method, path, body, apiKey)
      assert.equal(status, 200)
    },
  }
}

suite('what was changed at the PMS after the plan', () => {
  test('an import whose only room was removed ends', async () => {
    const { target, roomId, change } = await startProperty()
    const { id } = await plan(target.id)
    await change('DELETE', `/room_types/${roomId}`)
    const done = await run(id)
    assert.deepEqual(
      [done.status, ...countsOf(done)],
      ['completed', 'rate_plan skip 1 1', 'space skip 1 1', 'unit skip 1 1'],
    )
  })
})

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { TestCaller } from './caller.ts'
import { openImports, feedsPath, roomOn } from './calendar-imports.ts'
import { calendarOf, openCalendarServer } from './calendars.ts'
import { expectProblem } from './expect.ts'
import { openHangingServer } from './hanging-server.ts'
import { inDays } from './local-days.ts'
import { addSpace, addUnit } from './records.ts'
import { until } from './linked-units.ts'
import { addEndpoint, endpointsPath, openReceiver, type Receiver } from './webhook-receiver.ts'
import { shareWorld } from './share-world.ts'

/** What the receivers and calendars of one organization do to another one that shares the workers. */

const { world, owner } = shareWorld({
  workers: true,
  env: { MAX_WEBHOOK_ENDPOINTS: '24', WORKER_CONCURRENCY: '20' },
})
let neighbour: TestCaller
let partner: Receiver
let calendars: Awaited<ReturnType<typeof openCalendarServer>>
let hanging: Awaited<ReturnType<typeof openHangingServer>>

before(async () => {
  neighbour = await world.away.as('owner')
  partner = await openReceiver()
  calendars = await openCalendarServer()
  hanging = await openHangingServer()
  world.defer(() => partner.close())
  world.defer(() => calendars.close())
  world.defer(() => hanging.close())
})

const event_types = ['space.created']
const feedsOfUnit = 8

suite('an organization with 24 receivers and 24 calendars that never respond', () => {
  test('uses half of the slots, and does not delay webhooks or calendars of others', async () => {
    await addEndpoint(owner, `${partner.url}/healthy`, { event_types })
    const unit = await addUnit(owner)
    const units = [await addUnit(neighbour), await addUnit(neighbour), await addUnit(neighbour)]
    for (let n = 0; n < 24; n++) await addEndpoint(neighbour, `${hanging.url}/hook-${n}`, { event_types })
    await world.settled()
    await addSpace(neighbour)
    for (const { id: unit_id } of units)
      for (let n = 0; n < feedsOfUnit; n++)
        await openImports(world, neighbour).add({ unit_id, url: `${hanging.url}/calendar-${unit_id}-${n}` })
    await until(
      async () => [hanging.requested('/hook'), hanging.requested('/calendar')],
      ([hooks, feeds]) => hooks === 10 && feeds === 10,
    )
    const before = partner.at('/healthy').length

    for (let n = 0; n < 12; n++) await addSpace(owner)
    const url = calendars.serve('/well.ics', calendarOf([inDays(5), inDays(6)]))
    const imports = openImports(world, owner)
    await imports.fetched(await imports.add({ unit_id: unit.id, url }))
    assert.deepEqual(await imports.blocked(unit.id), roomOn(5))
    await until(
      async () => partner.at('/healthy').length,
      (received) => received === before + 12,
    )
    assert.deepEqual(
      [hanging.ended(), hanging.requested('/hook'), hanging.requested('/calendar')],
      [0, 10, 10],
      'everything of the neighbour still waits for its first answer',
    )
  })
})

suite('limits', () => {
  test('an organization gets no more webhook endpoints than it may have', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        owner.post(endpointsPath, { url: `${partner.url}/${n}`, event_types: ['target.error'] }),
      ),
    )
    // One is there already.
    assert.equal(replies.filter(({ status }) => status === 201).length, 23)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 409, 'limit-reached')
  })

  test('a unit gets no more calendar feeds than it may have', async () => {
    const { id: unit_id } = await addUnit(owner)
    const replies = await Promise.all(
      Array.from({ length: 14 }, () =>
        owner.post(feedsPath, { unit_id, direction: 'export', name: 'Elsewhere' }),
      ),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 10)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 409, 'limit-reached')
  })
})

import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { suite, test } from 'node:test'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import { listen, stopListening } from '../../../../../sandbox/test/listen.ts'
import { expectStatus } from '#test/expect.ts'
import { connection } from '#test/hostaway-live.ts'
import { countsOf, day, useImports, type TestImport } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls, until } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, read, owner, settled, occupied, plan, run } = useImports()

suite('an import that was cancelled before its blocks', () => {
  test('is completed by the next one, so that going live closes nothing', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const villa = await hostaway.addListing({ name: 'Villa' })
    const target = await addTarget(owner(), {
      config: { ...connection(hostaway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const { id } = await plan(target.id)
    await hostaway.control('PUT', 'faults', { mode: 'slow', delay_ms: 1_000 })
    expectStatus(await owner().post(`/api/v1/imports/${id}/run`), 200)
    const isUnitMade = (found: TestImport) =>
      found.stage === 'bookings' && countsOf(found).includes('unit create 1 1')
    await until(async () => (await read(`imports/${id}`)).import as TestImport, isUnitMade, 60)
    const cancelled = expectStatus(await owner().post(`/api/v1/imports/${id}/cancel`), 200).import
    assert.equal(cancelled.stage, 'bookings')
    await hostaway.control('DELETE', 'faults')
    await settled()
    // The unit is not sold yet, so going live would close the nights that the PMS sells.
    assert.equal(
      expectStatus(await owner().post(`/api/v1/imports/${id}/live`), 409).detail,
      'The closed nights of Villa are not imported yet. Import again, then go live with that import.',
    )

    const stay = [day(10), day(13)] as const
    await hostaway.reserve(villa, ...stay)
    await hostaway.write(villa, [{ startDate: day(20), endDate: day(22), isAvailable: 0 }])
    const nights = async () =>
      (await hostaway.nights(villa, day(5), day(30))).map(({ date, isAvailable }) => [date, isAvailable])
    const before = await nights()
    const again = await run((await plan(target.id)).id)
    assert.deepEqual([again.status, ...countsOf(again)], ['completed', 'unit match 1 1'])
    expectStatus(await owner().post(`/api/v1/imports/${again.id}/live`), 200)
    await settled()
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    const [{ status, unit }] = channel_listings
    assert.deepEqual([status, unit.status], ['active', 'active'])
    assert.deepEqual(await occupied(unit.id), [
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ])
    assert.deepEqual(await nights(), before)
    // It needs nothing more: what the operator opens stays open.
    const opening = { unit_id: unit.id, date_from: day(20), date_to: day(22), blocked: 0 }
    expectStatus(await owner().post('/api/v1/calendar', { values: [opening] }), 201)
    await run((await plan(target.id)).id)
    const { calendar: opened22 } = await read(`calendar?unit_id=${unit.id}&from=${day(20)}&to=${day(22)}`)
    assert.deepEqual(opened22[0].availability.length, 1)
    assert.equal(opened22[0].availability[0].blocked, 0)
  })
})

suite('an import that failed while it read the bookings', () => {
  test('blocks the nights that are closed when it continues', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const villa = await hostaway.addListing({ name: 'Lodge' })
    const close = (from: number, isAvailable: 0 | 1) =>
      hostaway.write(villa, [{ startDate: day(from), endDate: day(from + 2), isAvailable }])
    await close(9, 0)
    const gateway = await openGateway(hostaway.url)
    const target = await addTarget(owner(), {
      config: { ...connection(gateway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const { id } = await plan(target.id)
    const failed = await run(id)
    assert.deepEqual([failed.status, failed.error_code], ['failed', 'auth_rejected'])
    gateway.passesBookings = true
    // Days later the owner opened those nights, and closed others.
    await close(9, 1)
    await close(20, 0)
    const done = await run(id)
    assert.deepEqual([done.status, ...countsOf(done)], ['completed', 'space create 1 1', 'unit create 1 1'])
    const { units } = await read('units?q=Lodge')
    assert.deepEqual(await occupied(units[0].id), [
      [0, 0],
      [0, 1],
      [0, 0],
    ])
  })
})

/** Passes the calls on to Hostaway, at first without those for bookings, which it rejects. */
async function openGateway(hostawayUrl: string) {
  const gateway = { url: '', passesBookings: false }
  const server = createServer((incoming, response) => {
    if (incoming.url!.startsWith('/v1/reservations') && !gateway.passesBookings)
      return void response.writeHead(403).end('{"status":"fail","message":"Not allowed."}')
    const { method, headers, url } = incoming
    const outgoing = request(new URL(url!, hostawayUrl), { method: method!, headers }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  gateway.url = await listen(server, {})
  opened.defer(() => stopListening(server))
  return gateway
}

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { openImports, roomOn } from '#test/calendar-imports.ts'
import { calendarOf } from '#test/calendars.ts'
import { inDays } from '#test/local-days.ts'
import { addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { largeFetches, maxBytes, maxSmallBytes, readers } from './import-capacity.ts'

/** Many large calendars at once: the process holds one of them at a time. */

let world: World
let owner: TestCaller
const answers: ServerResponse[] = []
/** Sends the content length at once, and the body when the test releases it. */
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/calendar', 'content-length': large.length })
  response.write(large.subarray(0, 1_000))
  answers.push(response)
})
const large = Buffer.from(
  calendarOf([inDays(5), inDays(7)]).replace('VERSION', `X-NOTE:${'n'.repeat(maxSmallBytes)}\r\nVERSION`),
)

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  await world[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

suite('large calendars', () => {
  test('fetches one at a time, and reads all of them', async () => {
    const imports = openImports(world, owner)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/large.ics`
    const units = await Promise.all(Array.from({ length: 4 }, () => addUnit(owner)))
    const feeds = await Promise.all(units.map(({ id }) => imports.add({ unit_id: id, url })))
    const open = () => answers.filter(({ destroyed, writableEnded }) => !destroyed && !writableEnded)
    const read = async () => (await Promise.all(feeds.map(imports.read))).filter(({ blocks }) => blocks > 0)
    for (let done = 0; done < feeds.length; done++) {
      // Each fetch was aborted once for its size; the one with capacity is repeated and stays open.
      await until(
        () => Promise.resolve(answers.length),
        (count) => count >= feeds.length + done + 1 && open().length === 1,
      )
      assert.equal(largeFetches.used, maxBytes)
      assert.ok(readers.used <= 32, `${readers.used}`)
      open()[0]!.end(large.subarray(1_000))
      await until(read, (found) => found.length === done + 1)
    }
    for (const { id } of units) assert.deepEqual(await imports.blocked(id), roomOn(5, 6))
    assert.equal(largeFetches.used, 0)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { callerFor, type Reply, type TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import type { NodeProcess } from '#test/node-process.ts'
import { startTestProcess } from '#test/test-process.ts'
import { addListing, addUnit } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let second: NodeProcess
/** The same operator at two API processes. */
let doors: TestCaller[]

before(async () => {
  // Nobody waits for a connection: on a slow machine that would be a 503, and no answer about rooms.
  world = await openWorld({ env: { DATABASE_POOL_SIZE: '32' } })
  const owner = await world.home.as('owner')
  const { config } = world
  second = await startTestProcess('api', {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: config.database.url,
    DATABASE_POOL_SIZE: '32',
    OIDC_ISSUER: config.identity.issuer,
    OIDC_AUDIENCE: config.identity.audience,
    SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    GENERIC_PMS_URL: world.pms.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    RATE_LIMITS: 'false',
    LOG_LEVEL: 'silent',
  })
  doors = [owner, callerFor(second.facts.url!, owner.token)]
})
after(async () => {
  await second[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const path = '/api/v1/bookings'
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)
const book = (at: number, unitId: string, from: number, to: number, rooms = 1) =>
  doors[at % 2]!.post(path, { unitId, guestName: `G ${at}`, checkIn: day(from), checkOut: day(to), rooms })

/** Asserts that each request was booked, or refused because no room was free. */
function expectFair(replies: Reply[]): Reply[] {
  for (const reply of replies) if (reply.status !== 201) expectProblem(reply, 409, 'booking-conflict')
  return replies.filter(({ status }) => status === 201)
}

async function maxBooked(unitId: string): Promise<number> {
  const reply = await doors[0]!.get(`/api/v1/calendar?unit_id=${unitId}&from=${day(0)}&to=${day(120)}`)
  return Math.max(
    ...expectStatus(reply, 200).calendar[0].availability.map(({ booked }: { booked: number }) => booked),
  )
}

suite('bookings: concurrent requests to two processes', () => {
  for (const listed of [false, true])
    test(`of fifty for one night, exactly as many are booked as there are rooms${listed ? ', also of a listed unit' : ''}`, async () => {
      for (const quantity of [1, 3, 20]) {
        const { id } = await addUnit(doors[0]!, { quantity })
        if (listed) await addListing(doors[0]!, { unit_id: id })
        const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => book(at, id, 5, 6)))
        assert.equal(expectFair(replies).length, quantity)
        assert.equal(await maxBooked(id), quantity)
        // Checked under the lock: the refusal names the conflicting bookings, and is not that of the trigger.
        for (const { status, body } of replies)
          if (status !== 201) assert.ok(body.conflicts?.length > 0, JSON.stringify(body))
      }
    })

  test('partly overlapping stays never exceed the rooms, and none is rejected while it fits', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await addUnit(doors[0]!, { quantity: 4 })
      const asked = Array.from({ length: 60 }, (_, at) => ({
        from: (at * 7) % 40,
        length: 1 + (at % 9),
        rooms: 1 + (at % 3),
      }))
      const replies = await Promise.all(
        asked.map(({ from, length, rooms }, at) => book(at, id, from, from + length, rooms)),
      )
      expectFair(replies)
      const taken = new Map<number, number>()
      const nights = ({ from, length }: { from: number; length: number }) =>
        Array.from({ length }, (_, n) => from + n)
      for (const [at, stay] of asked.entries())
        if (replies[at]!.status === 201)
          for (const night of nights(stay)) taken.set(night, (taken.get(night) ?? 0) + stay.rooms)
      assert.ok(Math.max(...taken.values()) <= 4)
      // Rooms were only taken, so a refused request would not fit now either.
      for (const [at, stay] of asked.entries())
        if (replies[at]!.status !== 201)
          assert.ok(
            nights(stay).some((night) => (taken.get(night) ?? 0) + stay.rooms > 4),
            JSON.stringify(stay),
          )
    }
  })

  test('bookings can exchange units while rooms are freed and booked', async () => {
    const units = [await addUnit(doors[0]!, { quantity: 3 }), await addUnit(doors[0]!, { quantity: 3 })]
    const made = expectFair(
      await Promise.all(Array.from({ length: 6 }, (_, at) => book(at, units[at % 2]!.id, 5, 8))),
    )
    const ids = made.map(({ body }) => body.booking.id as string)
    assert.equal(ids.length, 6)
    const replies: Reply[] = []
    for (let round = 0; round < 6; round++)
      replies.push(
        ...(await Promise.all([
          ...ids.map((id, at) =>
            doors[at % 2]!.patch(`${path}/${id}`, { unitId: units[(at + round) % 2]!.id }),
          ),
          ...ids.map((id, at) =>
            doors[round % 2]!.patch(`${path}/${id}`, { checkOut: day(8 + ((at + round) % 3)) }),
          ),
          doors[0]!.patch(`/api/v1/units/${units[0]!.id}`, { quantity: 2 + (round % 3) }),
          doors[1]!.delete(`${path}/${ids[round]}`),
        ])),
      )
    for (const reply of replies)
      if (reply.status >= 400)
        assert.ok(['booking-conflict', 'resource-in-use', 'not-found'].includes(reply.body.code), reply.text)
    for (const unit of units) {
      const { quantity } = (await doors[0]!.get(`/api/v1/units/${unit.id}`)).body.unit
      assert.ok((await maxBooked(unit.id)) <= quantity)
    }
  })
})

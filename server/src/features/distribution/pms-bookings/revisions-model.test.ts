import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { eventsOf } from '#test/events.ts'
import { expectStatus } from '#test/expect.ts'
import { bookingsOf, conflictsOf, poll, roomLine, sendBooking } from '#test/pms-bookings.ts'

/** A booking is never replaced by another one, whatever changes of its reservation at the PMS. */

const setup = channexWorld({ limited: false })

interface Line {
  readonly type: number
  readonly from: number
  readonly nights: number
  readonly name: string | null
}

/** Rooms that fit, one of each type. A revision that ends the reservation has the rooms of the previous one. */
const revision = fc.record({
  ends: fc.nat(5).map((number) => number === 0),
  lines: fc
    .array(
      fc.record({
        type: fc.nat(2),
        from: fc.nat(4),
        nights: fc.integer({ min: 1, max: 3 }),
        name: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((lines) =>
      lines.filter(
        (line, at) =>
          !lines
            .slice(0, at)
            .some((other) => overlap(line, other) || (line.name && line.name === other.name)),
      ),
    ),
})
const overlap = (one: Line, other: Line) =>
  one.type === other.type && one.from < other.from + other.nights && other.from < one.from + one.nights

const config = { debounce_ms: 0 }
const firstDay = 5
const placeKey = (property: Property, { type, from }: Pick<Line, 'type' | 'from'>) =>
  `${type} ${property.day(firstDay + from)}`

/** The bookings that occupy a room, by room and night. Each type has one room, so none has two bookings. */
async function placed(property: Property): Promise<Map<string, { id: string; notes: string | null }>> {
  const found = await Promise.all(property.rooms.map(({ unitId }) => bookingsOf(setup.owner, unitId)))
  const entries = found.flatMap((bookings, type) =>
    bookings
      .filter(({ status }) => status === 'confirmed')
      .map((one) => [`${type} ${one.arrival}`, one] as const),
  )
  assert.equal(new Set(entries.map(([place]) => place)).size, entries.length, 'a place is taken twice')
  return new Map(entries)
}

async function say(property: Property, booking_id: string | null, lines: readonly Line[], status: string) {
  const rooms = lines.map(({ type, from, nights, name }) => ({
    ...roomLine(property, {
      roomTypeId: property.rooms[type]!.roomTypeId,
      planId: property.rooms[type]!.plans[0]!.externalId,
      from: firstDay + from,
      to: firstDay + from + nights,
    }),
    ...(name !== null && { ota_unique_id: name }),
  }))
  const { attributes } = await sendBooking(setup, property, {
    ...(booking_id && { booking_id }),
    status,
    rooms,
  })
  await poll(setup.world)
  return attributes.booking_id
}

suite('revisions of a reservation', () => {
  test('keeps as many bookings as rooms that remain, with their notes, and moves none without need', async () => {
    const property = await openProperty(setup, { rooms: 3, quantity: 1, config })
    await fc.assert(
      fc.asyncProperty(fc.array(revision, { minLength: 2, maxLength: 6 }), async (revisions) => {
        const story: Story = {
          property,
          reservation: null,
          lines: [],
          bookings: new Map(),
          everSeen: new Set(),
        }
        try {
          for (const one of revisions) await follow(story, one)
          await expectOneStory(story)
        } finally {
          // Frees the rooms for the next run.
          if (story.reservation) await say(property, story.reservation, story.lines, 'cancelled')
        }
      }),
      { numRuns: 12 },
    )
  })
})

interface Story {
  readonly property: Property
  reservation: string | null
  lines: readonly Line[]
  bookings: Map<string, { id: string }>
  readonly everSeen: Set<string>
}

async function follow(story: Story, { ends, lines }: { ends: boolean; lines: readonly Line[] }) {
  const { property, bookings: before } = story
  if (ends && story.reservation) {
    await say(property, story.reservation, story.lines, 'cancelled')
    assert.deepEqual(await placed(property), new Map())
    return
  }
  const previous = story.lines
  story.lines = lines
  story.reservation = await say(property, story.reservation, lines, story.reservation ? 'modified' : 'new')
  const now = (story.bookings = await placed(property))
  assert.deepEqual([...now.keys()].sort(), lines.map((line) => placeKey(property, line)).sort())
  const ids = new Set([...before.values()].map(({ id }) => id))
  const kept = [...now.values()].filter(({ id }) => ids.has(id))
  const made = [...now.values()].filter(({ id }) => !story.everSeen.has(id))
  assert.ok(made.length === 0 || kept.length === ids.size, 'one is made while another one is cancelled')
  for (const { id, notes } of now.values()) if (story.everSeen.has(id)) assert.equal(notes, id)
  for (const line of lines) {
    const same = sameLine(line, previous, lines)
    if (same) assert.equal(now.get(placeKey(property, line))!.id, before.get(placeKey(property, same))!.id)
  }
  for (const { id } of made) {
    story.everSeen.add(id)
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${id}`, { notes: id }), 200)
  }
}

async function expectOneStory({ property, bookings }: Story) {
  assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
  for (const { id } of bookings.values()) {
    const types: string[] = (await eventsOf(setup.world, setup.owner, { id })).map(({ type }) => type)
    assert.equal(types.filter((type) => type === 'booking.created').length, 1)
  }
}

/** Lines with the same channel id are the same line; without ids, those that did not change. */
function sameLine(line: Line, before: readonly Line[], now: readonly Line[]): Line | undefined {
  if (line.name) return before.find(({ name }) => name === line.name)
  if ([...before, ...now].some(({ name }) => name !== null)) return undefined
  return before.find(
    ({ type, from, nights }) => type === line.type && from === line.from && nights === line.nights,
  )
}

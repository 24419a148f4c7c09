import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Reply } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

// Random operations in any order give the bookings of a simple model.

const { owner } = shareWorld()

const path = '/api/v1/bookings'
const horizon = 14
const day = (number: number) => new Date(Date.UTC(2030, 1, 20 + number)).toISOString().slice(0, 10)

interface Line {
  id: string
  unit: number
  from: number
  to: number
  rooms: number
  status: string
}
const takes = ({ status }: Line) => ['pending', 'confirmed', 'checked_in', 'checked_out'].includes(status)

/** The model: the bookings of each night. */
class Sheet {
  readonly quantities: readonly number[]
  readonly lines: Line[] = []
  constructor(quantities: readonly number[]) {
    this.quantities = quantities
  }
  booked = (unit: number, night: number, but?: Line) =>
    this.lines
      .filter(
        (line) => line !== but && takes(line) && line.unit === unit && line.from <= night && night < line.to,
      )
      .reduce((sum, { rooms }) => sum + rooms, 0)
  fits({ unit, from, to, rooms }: Omit<Line, 'id' | 'status'>, but?: Line): boolean {
    for (let night = from; night < to; night++)
      if (this.booked(unit, night, but) + rooms > this.quantities[unit]!) return false
    return true
  }
}

const stay = fc.record({
  unit: fc.nat(1),
  from: fc.nat(horizon - 2),
  length: fc.integer({ min: 1, max: 5 }),
  rooms: fc.integer({ min: 1, max: 3 }),
})
const pick = fc.nat(30)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), stay, pending: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), pick, stay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const), pick }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(sheet: Sheet, units: readonly string[], one: Step): Promise<void> {
  if (one.kind === 'create') return await create(sheet, units, one)
  const line = sheet.lines[one.pick % Math.max(1, sheet.lines.length)]
  if (!line) return
  const place = `${path}/${line.id}`
  if (one.kind === 'move') return await move(sheet, units, line, one.stay)
  if (one.kind === 'cancel') {
    const reply = await owner.patch(place, { status: 'cancelled' })
    assert.equal(reply.status, 200, reply.text)
    line.status = 'cancelled'
  } else if (one.kind === 'delete') {
    assert.equal((await owner.delete(place)).status, 204)
    sheet.lines.splice(sheet.lines.indexOf(line), 1)
    assert.equal((await owner.get(place)).status, 404)
  } else {
    const { booking } = expectStatus(await owner.get(place), 200)
    assert.deepEqual(
      [booking.unitId, booking.arrival, booking.departure, booking.rooms, booking.status],
      [units[line.unit], day(line.from), day(line.to), line.rooms, line.status],
    )
  }
}

async function create(sheet: Sheet, units: readonly string[], one: Step & { kind: 'create' }): Promise<void> {
  const asked = spanned(one.stay)
  const status = one.pending ? 'pending' : 'confirmed'
  const reply = await owner.post(path, { ...wire(units, asked), guestName: 'G', status })
  if (asked.rooms > sheet.quantities[asked.unit]!) return assert.equal(reply.status, 422, reply.text)
  if (!sheet.fits(asked)) return refused(sheet, units, asked, reply)
  sheet.lines.push({ ...asked, id: expectStatus(reply, 201).booking.id, status })
}

async function move(
  sheet: Sheet,
  units: readonly string[],
  line: Line,
  to: typeof stay extends fc.Arbitrary<infer T> ? T : never,
) {
  const asked = spanned(to)
  const reply = await owner.patch(`${path}/${line.id}`, wire(units, asked))
  if (asked.rooms > sheet.quantities[asked.unit]!) return assert.equal(reply.status, 422, reply.text)
  const isSame = (['unit', 'from', 'to', 'rooms'] as const).every((member) => line[member] === asked[member])
  if (!takes(line) && !isSame) return assert.equal(reply.body.code, 'booking-ended', reply.text)
  if (takes(line) && !sheet.fits(asked, line)) return refused(sheet, units, asked, reply, line)
  expectStatus(reply, 200)
  Object.assign(line, asked)
}

const spanned = ({
  unit,
  from,
  length,
  rooms,
}: {
  unit: number
  from: number
  length: number
  rooms: number
}) => ({
  unit,
  from,
  to: from + length,
  rooms,
})
const wire = (units: readonly string[], { unit, from, to, rooms }: ReturnType<typeof spanned>) => ({
  unitId: units[unit],
  checkIn: day(from),
  checkOut: day(to),
  rooms,
})

/** The conflicts are the bookings that have the rooms; the other unit is an alternative when it is free. */
function refused(
  sheet: Sheet,
  units: readonly string[],
  asked: ReturnType<typeof spanned>,
  { status, body, text }: Reply,
  but?: Line,
): void {
  assert.deepEqual([status, body.code], [409, 'booking-conflict'], text)
  const full = Array.from({ length: asked.to - asked.from }, (_, n) => asked.from + n).filter(
    (night) => sheet.booked(asked.unit, night, but) + asked.rooms > sheet.quantities[asked.unit]!,
  )
  const named = body.conflicts.map((one: { booking_id: string }) => one.booking_id).sort()
  const expected = sheet.lines.filter(
    (line) =>
      line !== but &&
      takes(line) &&
      line.unit === asked.unit &&
      full.some((night) => line.from <= night && night < line.to),
  )
  assert.deepEqual(named, expected.map(({ id }) => id).sort())
  const other = 1 - asked.unit
  const canTake = sheet.quantities[other]! >= asked.rooms && sheet.fits({ ...asked, unit: other })
  if (canTake && !but) assert.ok(body.alternatives.length > 0, text)
}

suite('bookings compared with a model', () => {
  test('agree after creating, moving, cancelling, deleting and reading in any order, with one to five rooms', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (quantities, steps) => {
          const units: string[] = []
          for (const quantity of quantities) units.push((await addUnit(owner, { quantity })).id)
          const sheet = new Sheet(quantities)
          for (const one of steps) await take(sheet, units, one)
          for (const [unit, id] of units.entries()) {
            const reply = await owner.get(
              `/api/v1/calendar?unit_id=${id}&from=${day(0)}&to=${day(horizon + 5)}`,
            )
            for (const { date_from, date_to, booked } of expectStatus(reply, 200).calendar[0].availability)
              for (let night = 0; night <= horizon + 5; night++)
                if (date_from <= day(night) && day(night) <= date_to)
                  assert.equal(booked, sheet.booked(unit, night), day(night))
            const { bookings } = expectStatus(await owner.get(`${path}?unit_id=${id}&limit=100`), 200)
            assert.equal(bookings.length, sheet.lines.filter((line) => line.unit === unit).length)
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})

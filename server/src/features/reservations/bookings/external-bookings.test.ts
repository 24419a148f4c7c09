import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { atomically, type Scope } from '#db/scope.ts'
import { expectStatus } from '#test/expect.ts'
import { addBooking, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { applyExternalBooking, type ExternalBooking } from './apply-booking.ts'

const { world, owner } = shareWorld({ env: { DATABASE_POOL_SIZE: '30' } })
let targetId: string
let scope: Scope

before(async () => {
  targetId = (await addTarget(owner)).id
  const { database } = world.resources
  const actor = { type: 'system', id: 'pms', name: 'PMS' } as const
  scope = {
    orgId: world.home.id,
    accountId: world.home.accountId,
    actor,
    traceparent: null,
    database,
  }
})

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const apply = (booking: ExternalBooking) =>
  atomically(scope, (transaction) => applyExternalBooking(transaction, booking))
const revision = (unitId: string, fields: Partial<ExternalBooking> = {}): ExternalBooking => ({
  targetId,
  externalId: randomUUID(),
  accountId: world.home.accountId,
  unitId,
  ratePlanId: null,
  status: 'confirmed',
  guestName: 'Ada',
  guestEmail: null,
  guestPhone: null,
  guests: 2,
  rooms: 1,
  arrival: '2030-07-01',
  departure: '2030-07-04',
  totalCents: 30_000,
  currency: 'eur',
  notes: null,
  revisedAt: at(1),
  ...fields,
})
const read = async (id: string | null) => expectStatus(await owner.get(`/api/v1/bookings/${id}`), 200).booking

suite('bookings of a PMS', () => {
  test('are created, changed and cancelled by their revisions; a repeated one changes nothing', async () => {
    const unit = await addUnit(owner)
    const first = revision(unit.id, { guestName: ' \u0000 ', guestEmail: 'not an address', currency: 'usd' })
    const made = await apply(first)
    assert.equal(made.outcome, 'created')
    const booking = await read(made.bookingId)
    assert.deepEqual(
      [booking.source, booking.guestName, booking.currency, booking.channelTargetId, booking.checkIn],
      ['pms', 'Guest', 'usd', targetId, '2030-07-01T14:00:00.000Z'],
    )
    assert.equal((await apply(first)).outcome, 'unchanged')
    const moved = { ...first, arrival: '2030-07-02', revisedAt: at(3) }
    assert.deepEqual(await apply(moved), { outcome: 'changed', bookingId: booking.id })
    assert.equal((await apply({ ...first, status: 'cancelled', revisedAt: at(2) })).outcome, 'unchanged')
    assert.equal((await apply({ ...moved, revisedAt: at(4) })).outcome, 'unchanged')
    assert.equal((await apply({ ...moved, revisedAt: at(3), guests: 1 })).outcome, 'unchanged')
    assert.equal((await apply({ ...moved, status: 'cancelled', revisedAt: at(5) })).outcome, 'cancelled')
    assert.equal((await read(booking.id)).status, 'cancelled')
    assert.equal((await apply({ ...moved, revisedAt: at(6) })).outcome, 'changed')
  })

  test('a cancellation that comes first is not undone by the older booking', async () => {
    const unit = await addUnit(owner)
    const booking = revision(unit.id)
    const gone = await apply({ ...booking, status: 'cancelled', revisedAt: at(9) })
    assert.equal(gone.outcome, 'cancelled')
    for (const revisedAt of [at(1), at(9)])
      assert.deepEqual(await apply({ ...booking, revisedAt }), {
        outcome: 'unchanged',
        bookingId: gone.bookingId,
      })
    assert.equal((await read(gone.bookingId)).status, 'cancelled')
    await addBooking(owner, { unitId: unit.id })
  })

  test('a booking that does not fit is reported and changes nothing; a smaller one is applied', async () => {
    const unit = await addUnit(owner)
    const taken = await addBooking(owner, { unitId: unit.id })
    const answer = await apply(revision(unit.id))
    assert.deepEqual(answer, {
      outcome: 'conflict',
      bookingId: null,
      reason: 'no-room',
      conflicts: [{ booking_id: taken.id, check_in: '2030-07-01', check_out: '2030-07-04', rooms: 1 }],
      fullNights: ['2030-07-01', '2030-07-02', '2030-07-03'],
    })
    const later = revision(unit.id, { arrival: '2030-07-04', departure: '2030-07-06' })
    const { bookingId } = await apply(later)
    const stretched = await apply({ ...later, arrival: '2030-07-03', revisedAt: at(2) })
    assert.deepEqual([stretched.outcome, stretched.bookingId], ['conflict', bookingId])
    assert.equal((await read(bookingId)).arrival, '2030-07-04')
    const group = await apply(revision((await addUnit(owner)).id, { rooms: 2 }))
    assert.deepEqual([group.reason, group.fullNights], ['no-room', answer.fullNights])
    for (const [fields, reason] of [
      [{ departure: '2030-07-01' }, 'impossible-stay'],
      [{ departure: '9999-12-31', rooms: 2 }, 'impossible-stay'],
      [{ unitId: randomUUID() }, 'unknown-unit'],
    ] as const)
      assert.equal((await apply(revision(unit.id, fields))).reason, reason)
  })

  test('a deleted booking is restored by a newer revision', async () => {
    const unit = await addUnit(owner)
    const booking = revision(unit.id)
    const { bookingId } = await apply(booking)
    assert.equal((await owner.delete(`/api/v1/bookings/${bookingId}`)).status, 204)
    assert.equal((await apply({ ...booking, revisedAt: at(0) })).outcome, 'unchanged')
    assert.deepEqual(await apply({ ...booking, revisedAt: at(2) }), { outcome: 'created', bookingId })
    assert.equal((await read(bookingId)).status, 'confirmed')
  })

  test('concurrent revisions in any order leave the newest one', async () => {
    for (let round = 0; round < 5; round++) {
      const units = [await addUnit(owner), await addUnit(owner)]
      const booking = revision(units[0]!.id)
      const revisions = Array.from({ length: 10 }, (_, n) => ({
        ...booking,
        unitId: units[n % 2]!.id,
        arrival: `2030-07-${10 + n}`,
        departure: `2030-07-${12 + n}`,
        revisedAt: at(n),
      }))
      const shuffled = [...revisions, ...revisions].toSorted(() => Math.random() - 0.5)
      const answers = await Promise.all(shuffled.map(apply))
      const ids = new Set(answers.map(({ bookingId }) => bookingId))
      assert.equal(ids.size, 1)
      const left = await read([...ids][0]!)
      assert.deepEqual([left.arrival, left.unitId], ['2030-07-19', units[1]!.id])
      const { bookings } = (await owner.get(`/api/v1/bookings?unit_id=${units[0]!.id}`)).body
      assert.deepEqual(bookings, [])
    }
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking } from '#test/records.ts'
import { atPms, addLinkedUnit } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

// Archiving, which the refusal of a deletion offers.

const { world, owner } = shareWorld({ workers: true })

const stay = { checkIn: '2030-08-01', checkOut: '2030-08-03' }

for (const archived of ['unit', 'space'] as const)
  test(`an archived ${archived} is sold nowhere, and its bookings stay`, async () => {
    const linked = await addLinkedUnit(owner)
    const unit = expectStatus(await owner.get(`/api/v1/units/${linked.unitId}`), 200).unit
    const search = `/api/v1/availability?from=2030-09-01&to=2030-09-03&unit_id=${unit.id}`
    const offered = async () => expectStatus(await owner.get(search), 200).availability.length
    const made = await addBooking(owner, { unitId: unit.id, ...stay })
    await world.settled()
    assert.equal(await offered(), 1)
    assert.equal((await atPms(world, linked))?.['open'], true)

    const path = archived === 'unit' ? `/api/v1/units/${unit.id}` : `/api/v1/spaces/${unit.space_id}`
    const refused = await owner.delete(path)
    expectProblem(refused, 409, 'resource-in-use')
    assert.match(refused.body.detail, /archive/)
    expectStatus(await owner.patch(path, { status: 'archived' }), 200)
    await world.settled()

    assert.equal((await atPms(world, linked))?.['open'], false)
    assert.equal(await offered(), 0)
    const asked = { unit_id: unit.id, check_in: '2030-09-01', check_out: '2030-09-03', guests: 1 }
    expectProblem(await owner.post('/api/v1/quotes', asked), 409, 'unit-not-bookable')
    const another = { unitId: unit.id, guestName: 'Bo', checkIn: '2030-09-01', checkOut: '2030-09-03' }
    expectProblem(await owner.post('/api/v1/bookings', another), 409, 'unit-not-bookable')

    const booking = `/api/v1/bookings/${made.id}`
    assert.equal(expectStatus(await owner.get(booking), 200).booking.status, 'confirmed')
    expectStatus(await owner.patch(booking, { guestName: 'Ada Lovelace', notes: 'Late.' }), 200)
    expectStatus(await owner.patch(booking, { status: 'cancelled' }), 200)
  })

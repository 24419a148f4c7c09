import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem } from '#test/expect.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let staff: TestCaller
before(async () => (staff = await world.home.as('staff')))

const path = '/api/v1/bookings'
const stay = { guestName: 'Ana', checkIn: '2030-07-01', checkOut: '2030-07-05' }

async function addUnitIn(city: string | null, guests: number) {
  const space = await addSpace(owner, { city, country: 'PT' })
  return (await addUnit(owner, { space_id: space.id, max_guests: guests })).id as string
}

test('alternatives are in the same city, unless the caller requests any place', async () => {
  const taken = await addUnitIn('Lisboa', 7)
  const [near, far] = [await addUnitIn('lisboa', 7), await addUnitIn('Porto', 7)]
  await addBooking(staff, { unitId: taken, ...stay })
  const offered = async (search: string) => {
    const refused = await staff.post(`${path}${search}`, { unitId: taken, ...stay, guests: 7 })
    expectProblem(refused, 409, 'booking-conflict')
    return refused.body.alternatives as string[]
  }
  assert.deepEqual(await offered(''), [near])
  assert.deepEqual(await offered('?alternatives_within=city'), [near])
  const anywhere = await offered('?alternatives_within=anywhere')
  assert.ok(anywhere.includes(near) && anywhere.includes(far), anywhere.join())
  assert.deepEqual(await offered('?alternativesWithin=anywhere'), anywhere)
  expectProblem(
    await staff.post(`${path}?alternatives_within=moon`, { unitId: near, ...stay }),
    400,
    'validation-error',
  )
})

test('alternatives to a unit without a city have none either', async () => {
  const taken = await addUnitIn(null, 9)
  const [near] = [await addUnitIn(null, 9), await addUnitIn('Porto', 9)]
  await addBooking(staff, { unitId: taken, ...stay })
  const conflict = await staff.post(path, { unitId: taken, ...stay, guests: 9 })
  assert.deepEqual([conflict.status, conflict.body.alternatives], [409, [near]])
})

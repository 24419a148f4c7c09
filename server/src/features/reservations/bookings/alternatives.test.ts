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

test('alternatives are in the same city, unless the caller requests any place', async () => {
  const inCity = async (city: string) => {
    const space = await addSpace(owner, { city, country: 'PT' })
    return (await addUnit(owner, { space_id: space.id, max_guests: 7 })).id as string
  }
  const [taken, near, far] = [await inCity('Lisboa'), await inCity('lisboa'), await inCity('Porto')]
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

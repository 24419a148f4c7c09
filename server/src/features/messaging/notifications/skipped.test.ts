import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let database: Database

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const bookings = '/api/v1/bookings'
// Addresses that are stored, and that no mail server accepts.
const unreachable = ['<x@y.zz>', 'group:a@b.co', 'x@[127.0.0.1]', 'a@b', 'a..b@c.example', 'a,b@c.example']

suite('undeliverable address', () => {
  test('is rejected wherever a user enters it', async () => {
    const unit = await addUnit(owner)
    const stay = { unitId: unit.id, guestName: 'Ana', checkIn: '2030-07-01', checkOut: '2030-07-02' }
    const booking = await addBooking(owner, {
      unitId: unit.id,
      checkIn: '2030-08-01',
      checkOut: '2030-08-02',
    })
    for (const address of unreachable) {
      for (const reply of [
        await owner.post(bookings, { ...stay, guestEmail: address }),
        await owner.put(`${bookings}/${booking.id}`, { ...stay, guestEmail: address }),
        await owner.patch(`${bookings}/${booking.id}`, { guestEmail: address }),
      ])
        expectProblem(reply, 422, 'semantic-error', '/guestEmail')
      const mail = { to: address, subject: 'Hello', body: 'Hello' }
      expectProblem(await owner.post('/api/v1/test/send-email', mail), 400, 'validation-error', '/to')
      const preferences = await owner.put('/api/v1/notification-preferences', { emails: [address] })
      expectProblem(preferences, 400, 'validation-error', '/emails/0')
      await assert.rejects(
        addMember(world.config, { orgId: world.home.id, email: address, role: 'staff' }),
        /not a deliverable e-mail address/,
      )
    }
  })

  test('that is stored already is skipped with the reason, and the booking can be changed', async () => {
    const unit = await addUnit(owner)
    const booking = await addBooking(owner, {
      unitId: unit.id,
      status: 'pending',
      guestEmail: 'ana@guest.example',
    })
    await database.pipelined({ orgId: null }, [
      sql`update bookings set guest_email = '<x@y.zz>' where id = ${booking.id}`,
    ])
    const at = `${bookings}/${booking.id}`
    expectStatus(await owner.patch(at, { notes: 'Late', guestEmail: '<x@y.zz>' }), 200)
    expectStatus(await owner.patch(at, { status: 'confirmed' }), 200)
    const skipped = () => owner.get('/api/v1/notifications?status=skipped&audience=guest')
    const [notification] = await until(
      async () => (await skipped()).body.notifications as Record<string, unknown>[],
      ({ length }) => length > 0,
    )
    const { to, kind, status, attempts, error_code } = notification!
    assert.deepEqual(
      [to, kind, status, attempts, error_code],
      ['<x@y.zz>', 'booking.confirmed', 'skipped', 0, 'invalid_address'],
    )
    await world.settled()
    assert.equal((await skipped()).body.notifications.length, 1)
  })
})

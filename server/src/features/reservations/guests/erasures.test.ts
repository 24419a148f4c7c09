import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import {
  ada,
  readRows,
  findGuest,
  pmsMessage,
  stay,
  tablesWithGuest,
  untilErased,
  type Stays,
} from '#test/guest-stays.ts'
import { addBooking, addUnit, unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { erasedName } from './guest.ts'
import { erasureJournalPath, readJournal } from './erasure-journal.ts'

const { world, owner } = shareWorld({ workers: true })
let stays: Stays

before(async () => {
  stays = await stay(world, owner)
  world.defer(() => stays.receiver.close())
})

const path = '/api/v1/guest-erasures'

suite('guest erasures: happy', () => {
  test('the guest is in all of these before', async () => {
    const tables = await tablesWithGuest(world)
    for (const table of ['bookings', 'events', 'notifications', 'webhook_messages', 'webhook_deliveries'])
      assert.ok(tables.includes(table), `${table} of ${tables.join(' ')}`)
    for (const table of [
      'booking_conflicts',
      'idempotency_keys',
      'calendar_blocks',
      'calendar_change_parts',
      'audit_entries',
    ])
      assert.ok(tables.includes(table), `${table} of ${tables.join(' ')}`)
    const named = (await readRows(world)).filter(
      ({ table, text }) => table === 'sync_audit' && findGuest(text),
    )
    assert.equal(named.length, 1, 'of the history, only the reason that a person wrote')
  })

  test('erases the guest from all stored data, and nothing else', async () => {
    const before = expectStatus(await owner.get(`/api/v1/bookings/${stays.direct.id}`), 200).booking
    const reply = await owner.post(path, { email: ada.email.toUpperCase() })
    const { id, ...asked } = expectStatus(reply, 201).guest_erasure
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
    assert.deepEqual([asked.subject, asked.bookings, asked.requested_by.type], ['email', null, 'user'])
    const done = await untilErased(owner, id)
    assert.equal(done.bookings, 2)
    assert.equal(done.erased.bookings, 2)
    await world.settled()
    for (const { table, text } of await readRows(world)) assert.equal(findGuest(text), null, table)

    const after = expectStatus(await owner.get(`/api/v1/bookings/${stays.direct.id}`), 200).booking
    assert.deepEqual(after, {
      ...before,
      guestName: erasedName,
      guestEmail: null,
      guestPhone: null,
      notes: null,
      updatedAt: after.updatedAt,
    })
    const [delivery] = stays.receiver.at('/hook').slice(-1)
    assert.match(delivery!.body, /"guestName":"Erased guest"/, 'partners receive the event')
    assert.equal(findGuest(delivery!.body), null)
    const replayed = await owner.post(
      '/api/v1/bookings',
      {
        ...{ unitId: stays.linked.unitId, checkIn: '2031-07-01', checkOut: '2031-07-04', totalCents: 20_000 },
        ...{ guestName: ada.name, guestEmail: ada.email, guestPhone: ada.phone, notes: ada.notes },
      },
      { 'idempotency-key': 'guest' },
    )
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true', 'still one booking, not two')
    assert.equal(findGuest(replayed.text), null)
    const audit = expectStatus(await owner.get('/api/v1/sync/audit?action=booking.guest_erased'), 200).audit
    assert.equal(audit.length, 2)
    assert.deepEqual(audit[0].actor, done.requested_by)
  })

  test('a later word of the PMS changes the stay and does not bring the guest back', async () => {
    const { atPms, linked } = stays
    const later = pmsMessage(linked, 'PMS-QX-1', { check_out: '2031-08-06' })
    expectStatus(await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, later), 200)
    const seen = await until(
      async () => expectStatus(await owner.get(`/api/v1/bookings/${atPms.id}`), 200).booking,
      ({ departure }) => departure === '2031-08-06',
    )
    assert.deepEqual(
      [seen.guestName, seen.guestEmail, seen.guestPhone, seen.notes],
      [erasedName, null, null, null],
    )
    await world.settled()
    // Late copies are redacted a minute later; here that minute is over.
    await hurryJobs()
    await until(
      () => tablesWithGuest(world),
      (tables) => tables.length === 0,
    )
    const { webhook_messages } = expectStatus(await owner.get('/api/v1/webhook-messages?limit=100'), 200)
    assert.ok(webhook_messages.some(({ message_id }: { message_id: string }) => message_id === later.id))
  })

  test('linking the room of an erased conflict does not restore the guest', async () => {
    const { linked } = stays
    const word = pmsMessage(linked, 'PMS-QX-2', { check_in: '2031-10-01', check_out: '2031-10-03' })
    expectStatus(await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, word), 200)
    const [seen] = await until(
      async () =>
        expectStatus(
          await owner.get(`/api/v1/bookings?unit_id=${linked.unitId}&source=pms&check_in_from=2031-10-01`),
          200,
        ).bookings,
      ({ length }) => length === 1,
    )
    assert.deepEqual([seen.guestName, seen.guestEmail, seen.notes], ['Guest', null, null])
  })

  test('a second erasure finds nothing, and a repeated run changes nothing', async () => {
    const again = async () =>
      await untilErased(
        owner,
        expectStatus(await owner.post(path, { email: ada.email }), 201).guest_erasure.id,
      )
    await again() // What has come meanwhile.
    const { bookings, erased: found } = await again()
    assert.deepEqual([bookings, found], [0, {}])
  })

  test('erases one booking by its id, and all bookings with a phone number', async () => {
    const unitId = (await addUnit(owner, { quantity: 9 })).id
    const add = (guestPhone: string, guestName: string) =>
      addBooking(owner, { unitId, guestName, guestEmail: 'twin@guest.example', guestPhone })
    const [one, two, three] = [
      await add('+1 555 0100', 'Tweedle Dum'),
      await add('+1-555-0100', 'B'),
      await add('7', 'C'),
    ]
    const guests = async () =>
      (await Promise.all([one, two, three].map(({ id }) => owner.get(`/api/v1/bookings/${id}`)))).map(
        ({ body }) => body.booking.guestName,
      )
    const first = expectStatus(await owner.post(path, { booking_id: one.id }), 201).guest_erasure
    await untilErased(owner, first.id)
    assert.deepEqual(await guests(), [erasedName, 'B', 'C'])
    const second = expectStatus(await owner.post(path, { phone: '1 (555) 01-00' }), 201).guest_erasure
    await untilErased(owner, second.id)
    assert.deepEqual(await guests(), [erasedName, erasedName, 'C'])
  })

  test('a guest who is entered again is stored, and can be erased again', async () => {
    const { id } = stays.direct
    await owner.patch(`/api/v1/bookings/${id}`, {
      guestName: 'Entered Again',
      guestEmail: 'again@guest.example',
    })
    const asked = expectStatus(await owner.post(path, { email: 'again@guest.example' }), 201).guest_erasure
    assert.equal((await untilErased(owner, asked.id)).erased.bookings, 1)
    assert.equal((await owner.get(`/api/v1/bookings/${id}`)).body.booking.guestName, erasedName)
  })

  test('is in the journal once, without the guest', async () => {
    const lines = await readJournal(erasureJournalPath(world.config.home))
    const { guest_erasures } = expectStatus(await owner.get(`${path}?limit=100`), 200)
    const found = guest_erasures.filter(({ bookings }: { bookings: number }) => bookings > 0)
    assert.deepEqual(lines.map(({ id }) => id).sort(), found.map(({ id }: { id: string }) => id).sort())
    assert.equal(findGuest(JSON.stringify(lines)), null)
    assert.ok(lines[0]!.bookings.some(({ pms_booking_id }) => pms_booking_id === 'PMS-QX-1'))
  })
})

suite('guest erasures: edge', () => {
  test('partners and the payment provider got no personal data', async () => {
    const bodies = await (await fetch(`${world.payments.url}/_control/ledger`)).text()
    assert.match(bodies, new RegExp(stays.direct.id), 'the booking was paid for')
    assert.equal(findGuest(bodies), null)
  })

  test('requires exactly one member', async () => {
    for (const body of [{}, { email: 'a@b.example', phone: '12345' }, { email: 'nobody' }, { name: 'Ada' }])
      for (const door of [path, '/api/v1/guest-exports']) {
        const reply = await owner.post(door, body)
        assert.equal(reply.status, 400, `${door} ${JSON.stringify(body)}`)
      }
  })
})

suite('guest erasures: security', () => {
  test('allows owners only, whatever a token lists', async () => {
    for (const role of ['admin', 'manager', 'staff', 'viewer', 'service'] as const)
      for (const claims of [{}, { permissions: ['guests:read', 'guests:write'] }]) {
        const caller = await world.home.as(role, claims)
        for (const reply of [
          await caller.post(path, { email: ada.email }),
          await caller.post('/api/v1/guest-exports', { email: ada.email }),
          await caller.get(path),
        ])
          assert.deepEqual([role, reply.status, reply.body.code], [role, 403, 'forbidden'])
      }
  })

  test('another organization finds and erases nothing', async () => {
    const stranger = await world.away.as('owner')
    const unitId = (await addUnit(owner)).id
    const booking = await addBooking(owner, { unitId, guestEmail: 'ours@guest.example' })
    const subject = { email: 'ours@guest.example' }
    const { guest_export } = expectStatus(await stranger.post('/api/v1/guest-exports', subject), 200)
    assert.deepEqual([guest_export.bookings, guest_export.events], [[], []])
    const { id } = expectStatus(await stranger.post(path, subject), 201).guest_erasure
    await until(
      async () => (await stranger.get(`${path}/${id}`)).body.guest_erasure.status as string,
      (status) => status === 'completed',
    )
    assert.equal((await owner.get(`${path}/${id}`)).status, 404)
    for (const door of [path, '/api/v1/guest-exports'])
      for (const booking_id of [booking.id, unknownId]) {
        const reply = await stranger.post(door, { booking_id })
        assert.deepEqual([reply.status, reply.body.code], [422, 'reference-not-found'])
      }
    const { guestEmail } = expectStatus(await owner.get(`/api/v1/bookings/${booking.id}`), 200).booking
    assert.equal(guestEmail, 'ours@guest.example')
    assert.equal((await owner.get(`${path}/${unknownId}`)).status, 404)
  })
})

/** Ends the minute after which late copies are redacted. */
async function hurryJobs(): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: null }, [
    sql`update queue.jobs set due_at = now() where data ->> 'job' = 'erase-again' and attempts = 0`,
  ])
  await database.close()
}

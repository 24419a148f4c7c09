import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { startMail } from '../../../../../sandbox/src/mail/server.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addRefund } from '#test/payments.ts'
import { addAlert, addUnit } from '#test/records.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { planNotifications } from './plan-notifications.ts'

let catcher: Awaited<ReturnType<typeof startMail>>
let world: World
let owner: TestCaller
let database: ReturnType<typeof openOwner>
const preferences = '/api/v1/notification-preferences'
const office = 'office@casa.example'

const openCatcher = (port = 0) => startMail({ smtpPort: port })

before(async () => {
  catcher = await openCatcher()
  const sms = { SMS_URL: catcher.url, SMS_ACCOUNT: 'ACtest', SMS_TOKEN: 'secret', SMS_FROM: '+15005550006' }
  world = await openWorld({
    workers: true,
    env: { SMTP_URL: catcher.smtpUrl, TEST_EMAIL_PER_HOUR: '100', ...sms },
  })
  owner = await world.home.as('owner')
  database = openOwner(world.databaseUrl)
})
beforeEach(async () => {
  await world.settled()
  catcher.clear()
  expectStatus(await owner.put(preferences, { emails: [office] }), 200)
})
after(async () => {
  await database.close()
  await world[Symbol.asyncDispose]()
  await catcher.close()
})

const send = async (to: string, subject = 'Try') =>
  expectStatus(await owner.post('/api/v1/test/send-email', { to, subject, body: 'Hello' }), 201)
    .job_id as string
const read = async (id: string) =>
  expectStatus(await owner.get(`/api/v1/notifications/${id}`), 200).notification
const reaches = (id: string, status: string, seconds?: number) =>
  until(
    () => read(id),
    (seen) => seen.status === status,
    seconds,
  )
const got = () =>
  catcher
    .messages()
    .map(({ to, subject, text }) => `${to.join()}: ${subject ?? text}`)
    .toReversed()
const arrived = (count: number) =>
  until(
    () => Promise.resolve(got()),
    (seen) => seen.length >= count,
  )
/** Makes the next attempt due. */
const hurry = () =>
  database.pipelined({ orgId: null }, [
    sql`update queue.jobs set due_at = now() where queue = 'notifications' and attempts = 0`,
  ])
const scope = (): Scope => ({
  orgId: world.home.id,
  accountId: world.home.accountId,
  actor: { type: 'system', id: 'test', name: 'Test' },
  traceparent: null,
  database: world.resources.database,
})

async function book(fields: object = {}) {
  const unit = await addUnit(owner, { name: 'Garden studio' })
  const stay = { checkIn: '2031-07-01T15:00:00Z', checkOut: '2031-07-04T10:00:00Z' }
  const guest = { guestName: 'Ada <b>', guestEmail: 'ada@guest.example', guests: 1 }
  const body = { unitId: unit.id, ...guest, ...stay, totalCents: 30_000, ...fields }
  return expectStatus(await owner.post('/api/v1/bookings', body), 201).booking
}

suite('sending: happy', () => {
  test('notifies guest and operator of a booking, a move and a cancellation, but not of a note', async () => {
    const { id } = await book()
    await arrived(2)
    const at = `/api/v1/bookings/${id}`
    expectStatus(await owner.patch(at, { notes: 'A quiet room' }), 200)
    await world.settled()
    expectStatus(await owner.patch(at, { checkOut: '2031-07-05T10:00:00Z' }), 200)
    await arrived(4)
    expectStatus(await owner.patch(at, { status: 'cancelled' }), 200)
    await arrived(6)
    await world.settled()
    assert.deepEqual(
      got()
        .map((line) => line.replace(/ at .*? is| at .*? has/, '').replace('day, 1', 'day 1'))
        .sort(),
      [
        'ada@guest.example: Your stay cancelled',
        'ada@guest.example: Your stay changed',
        'ada@guest.example: Your stay confirmed',
        'office@casa.example: Booking cancelled: Garden studio, Tuesday 1 July 2031',
        'office@casa.example: Booking changed: Garden studio, Tuesday 1 July 2031',
        'office@casa.example: New booking: Garden studio, Tuesday 1 July 2031',
      ],
    )
    const mail = catcher.messages().find(({ to }) => to[0] === 'ada@guest.example')!
    assert.match(mail.html!, /Ada &lt;b&gt;/)
    assert.match(mail.text!, /Ada <b>/)
    const row = await read(mail.message_id!.slice(1).split('@')[0]!)
    assert.deepEqual(
      [row.status, row.audience, row.attempts, row.to],
      ['sent', 'guest', 1, 'ada@guest.example'],
    )
  })

  test('the address of a guest that is entered later gets the confirmation', async () => {
    const { id } = await book({ guestEmail: null })
    await arrived(1)
    const change = { guestEmail: 'grace@guest.example', checkOut: '2031-07-05T10:00:00Z' }
    expectStatus(await owner.patch(`/api/v1/bookings/${id}`, change), 200)
    await arrived(3)
    await world.settled()
    const sent = await owner.get('/api/v1/notifications?limit=3')
    assert.deepEqual(
      sent.body.notifications.map(({ to, kind }: Record<string, string>) => [to, kind]).sort(),
      [
        ['grace@guest.example', 'booking.confirmed'],
        [office, 'booking.changed'],
        [office, 'booking.confirmed'],
      ],
    )
  })

  test('notifies of an open alert once, by e-mail and SMS, in the language of the organization', async () => {
    const kinds = { 'sync.failed': { email: true, sms: true } }
    expectStatus(
      await owner.put(preferences, { emails: [office], phones: ['+351912345678'], locale: 'de', kinds }),
      200,
    )
    const linked = await addLinkedUnit(owner)
    await world.settled()
    catcher.clear()
    for (let times = 0; times < 3; times++) await addAlert(world, world.home, linked)
    await arrived(2)
    await world.settled()
    assert.equal(got().length, 2)
    assert.match(
      got().find((line) => line.startsWith(office))!,
      /Ein Inserat ist nicht aktuell: Unit/,
    )
    assert.match(
      got().find((line) => line.startsWith('+351'))!,
      /Ein Inserat .* The PMS refused it\./,
    )
    await addAlert(world, world.home, linked, { kind: 'drift.found' })
    await world.settled()
    assert.equal(got().length, 2)
  })

  test('notifies of a failed payment with its amount', async () => {
    const data = { payment_intent: { amount: 12_345, currency: 'eur', booking_id: null } }
    await atomically(scope(), (transaction) =>
      recordEvents(transaction, [
        { type: 'payment.failed', accountId: world.home.accountId, subjectId: null, data },
      ]),
    )
    await arrived(1)
    assert.deepEqual(got(), [`${office}: A payment of €123.45 has failed`])
  })

  test('a refund names the guest and the booking', async () => {
    const { id } = await addRefund(world, owner, { guestName: 'Rosa Refund' })
    const mail = await until(
      () => Promise.resolve(catcher.messages().find(({ subject }) => subject?.includes('was refunded'))),
      (found) => found !== undefined,
    )
    const { refund } = expectStatus(await owner.get(`/api/v1/refunds/${id}`), 200)
    const { payment_intent } = expectStatus(
      await owner.get(`/api/v1/payment-intents/${refund.payment_intent_id}`),
      200,
    )
    assert.match(mail!.text!, /Guest: Rosa Refund/)
    assert.match(mail!.text!, new RegExp(`Booking: ${payment_intent.booking_id.slice(0, 8)}`, 'i'))
  })

  test('notifies once of an event that is planned repeatedly or concurrently; an older one is skipped', async () => {
    const booking = await book()
    await arrived(2)
    await world.settled()
    const [found] = await database.pipelined({ orgId: world.home.id }, [
      sql<{ id: string }>`select id from events where subject_id = ${booking.id}`,
    ])
    const [{ id }] = found as [{ id: string }]
    await Promise.all(Array.from({ length: 8 }, () => planNotifications(scope(), true, id)))
    await world.settled()
    assert.equal(got().length, 2)
    await database.pipelined({ orgId: world.home.id }, [
      sql`update notifications set event_position = event_position + 1, event_id = gen_random_uuid()
        where subject_id = ${booking.id}`,
    ])
    await planNotifications(scope(), true, id)
    await world.settled()
    assert.equal(got().length, 2)
  })
})

suite('sending: error', () => {
  test('a rejected address fails at once, a temporary error after five attempts', async () => {
    const refused = await reaches(await send('refused@casa.example'), 'failed')
    assert.deepEqual([refused.error_code, refused.attempts], ['recipient_refused', 1])
    assert.doesNotMatch(refused.error_message, /@/)
    const id = await send('later@casa.example')
    for (let attempt = 1; attempt < 5; attempt++) {
      const waiting = await until(
        () => read(id),
        (seen) => seen.attempts === attempt && seen.next_attempt_at !== null,
      )
      assert.deepEqual([waiting.status, waiting.error_code], ['queued', 'deferred'])
      const wait = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.updated_at)
      const least = [10_000, 60_000, 600_000, 3_600_000][attempt - 1]!
      assert.ok(wait > least - 2_000 && wait < least * 1.2 + 2_000, `${wait} ms after attempt ${attempt}`)
      await hurry()
    }
    assert.equal((await reaches(id, 'failed')).attempts, 5)
    assert.deepEqual(got(), [])
  })

  test('e-mails wait while the mail server is unavailable', async () => {
    const port = Number(new URL(catcher.smtpUrl).port)
    await catcher.close()
    const id = await send(office, 'After the storm')
    const waiting = await until(
      () => read(id),
      (seen) => seen.next_attempt_at !== null,
    )
    assert.deepEqual([waiting.status, waiting.error_code, waiting.attempts], ['queued', 'network', 1])
    catcher = await openCatcher(port)
    await hurry()
    assert.equal((await reaches(id, 'sent')).attempts, 2)
    assert.deepEqual(got(), [`${office}: After the storm`])
  })
})

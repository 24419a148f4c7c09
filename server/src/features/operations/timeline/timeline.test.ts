import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startMail } from '../../../../../sandbox/src/mail/server.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addLinkedUnit, shortDebounce, until } from '#test/linked-units.ts'
import { addStay, askFor, intentOf, pay } from '#test/payments.ts'
import { unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

interface Entry {
  id: string
  kind: string
  action: string | null
  status: string | null
  recipient: string | null
  changes: { field: string }[]
}

let catcher: Awaited<ReturnType<typeof startMail>>
let world: World
let owner: TestCaller
let booking: { id: string; unitId: string; checkIn: string; arrival: string; departure: string }

/** Of one instant, so that midnight changes no day during the tests. */
const startedAt = Date.now()
const day = (days: number) => new Date(startedAt + days * 86_400_000).toISOString().slice(0, 10)
const path = () => `/api/v1/bookings/${booking.id}`
const timeline = async (caller = owner) =>
  expectStatus(await caller.get(`${path()}/timeline`), 200).timeline as Entry[]

before(async () => {
  catcher = await startMail({ smtpPort: 0 })
  world = await openWorld({ workers: true, env: { SMTP_URL: catcher.smtpUrl } })
  owner = await world.home.as('owner')
  const { unitId } = await addLinkedUnit(owner)
  await world.settled()
  booking = await addStay(owner, {
    ...{ unitId, checkIn: day(40), checkOut: day(42), guestEmail: 'ada@guest.example' },
  })
  const intent = await askFor(owner, booking, { amount: 15_000 })
  await pay(world, intent)
  await until(
    () => intentOf(owner, intent),
    ({ status }) => status === 'succeeded',
  )
  expectStatus(await owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, { amount: 1_000 }), 201)
  await askFor(owner, booking, { amount: 2_000 })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await catcher.close()
})

suite('what happened to a booking, and what would', () => {
  test('changes, payments, refunds, mails and pushes are in the timeline, the latest first', async () => {
    expectStatus(await owner.patch(path(), { guests: 2, checkOut: day(43) }), 200)
    const entries = await until(timeline, (found) =>
      ['change', 'payment', 'refund', 'notification', 'push'].every((kind) =>
        found.some((entry) => entry.kind === kind && (kind !== 'notification' || entry.status === 'sent')),
      ),
    )
    const changed = entries.find(({ kind, action }) => kind === 'change' && action === 'booking.changed')
    assert.deepEqual(
      changed?.changes.map(({ field }) => field),
      ['guests', 'checkOut'],
    )
    assert.equal(entries.findLast(({ kind }) => kind === 'change')?.action, 'booking.created')
    assert.ok(entries.some(({ kind, action }) => kind === 'push' && action === 'sync.completed'))
  })

  test('a push is one entry, also when two changes have its trace', async () => {
    const headers = { traceparent: `00-${'5a'.repeat(16)}-${'7c'.repeat(8)}-01` }
    for (const days of [42, 44])
      expectStatus(await owner.patch(path(), { checkOut: day(days) }, headers), 200)
    const kindsSince = (found: Entry[]) =>
      found.slice(
        0,
        found.findIndex(({ kind }) => kind === 'change'),
      )
    const entries = await until(timeline, (found) => kindsSince(found).some(({ kind }) => kind === 'push'))
    const ids = entries.map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  test('the pushes of a move are those of both units', async () => {
    const [from, to] = [await addLinkedUnit(owner, shortDebounce), await addLinkedUnit(owner, shortDebounce)]
    const stay = await addStay(owner, { unitId: from.unitId, checkIn: day(60), checkOut: day(62) })
    await world.settled()
    expectStatus(await owner.patch(`/api/v1/bookings/${stay.id}`, { unitId: to.unitId }), 200)
    const pushed = async () => {
      const { timeline } = expectStatus(await owner.get(`/api/v1/bookings/${stay.id}/timeline`), 200)
      const entries = timeline as Entry[]
      const sinceMove = entries.slice(
        0,
        entries.findIndex(({ action }) => action === 'booking.changed'),
      )
      return sinceMove.filter(({ kind }) => kind === 'push')
    }
    await until(pushed, (found) => found.length === 2)
  })

  test('a reader sees only the parts that they may read, and no timeline of another organization', async () => {
    const kinds = new Set((await timeline(await world.home.as('viewer'))).map(({ kind }) => kind))
    assert.ok(kinds.has('change') && !kinds.has('payment') && !kinds.has('notification'))
    expectProblem(await (await world.away.as('owner')).get(`${path()}/timeline`), 404, 'not-found')
    expectProblem(await owner.get(`/api/v1/bookings/${unknownId}/timeline`), 404, 'not-found')
  })

  test('a mail goes out again, to the address that the guest has now', async () => {
    const isSent = ({ recipient, status }: Entry) => recipient === 'ada@guest.example' && status === 'sent'
    const mail = (await until(timeline, (found) => found.some(isSent))).find(isSent)
    expectStatus(await owner.patch(path(), { guestEmail: 'ada@right.example' }), 200)
    const again = await owner.post(`/api/v1/notifications/${mail!.id}/resend`)
    const { id, to } = expectStatus(again, 201).notification
    assert.equal(to, 'ada@right.example')
    await until(timeline, (found) => found.some((entry) => entry.id === id && entry.status === 'sent'))
    assert.ok(catcher.messages().some((message) => message.to.join() === 'ada@right.example'))
    expectProblem(
      await (await world.home.as('staff')).post(`/api/v1/notifications/${mail!.id}/resend`),
      403,
      'forbidden',
    )
  })

  test('a mail does not go out again to an address that was removed', async () => {
    const guestEmail = 'wrong@guest.example'
    const { id } = await addStay(owner, { checkIn: day(70), checkOut: day(72), guestEmail })
    const mails = async () =>
      expectStatus(await owner.get(`/api/v1/bookings/${id}/timeline`), 200).timeline.filter(
        ({ recipient }: Entry) => recipient === guestEmail,
      ) as Entry[]
    const [mail] = await until(mails, (found) => found.some(({ status }) => status === 'sent'))
    expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { guestEmail: null }), 200)
    const again = await owner.post(`/api/v1/notifications/${mail!.id}/resend`)
    expectProblem(again, 409, 'invalid-status-transition')
    assert.equal((await mails()).length, 1)
  })

  test('a preview of a move has the price by the calendar, and is refused like the move', async () => {
    const { preview } = expectStatus(
      await owner.post(`${path()}/preview`, { checkIn: day(41), checkOut: day(45) }),
      200,
    )
    assert.equal(preview.nights, 4)
    assert.equal(preview.currentCents, 20_000)
    assert.equal(typeof preview.calculatedCents, 'number')
    const other = await addStay(owner, { unitId: booking.unitId, checkIn: day(50), checkOut: day(52) })
    const taken = await owner.post(`${path()}/preview`, { checkIn: day(49), checkOut: day(51) })
    expectProblem(taken, 409, 'booking-conflict')
    assert.equal(taken.body.conflicts[0].booking_id, other.id)
    const { arrival } = expectStatus(await owner.get(path()), 200).booking
    assert.equal(arrival, day(40))
  })

  test('a preview of a cancellation has what goes back', async () => {
    const preview = async (query = '', caller = owner) =>
      expectStatus(await caller.get(`${path()}/cancellation${query}`), 200).cancellation
    const expected = { refund_percent: 100, received_cents: 15_000, refunded_cents: 1_000 }
    const seen = await preview('?reason=guest_request')
    assert.deepEqual(seen, {
      ...{ ...expected, refund_cents: 14_000, open_cents: 2_000, currency: 'eur', free_until: day(39) },
    })
    assert.equal((await preview('', await world.home.as('staff'))).refund_cents, null)
    expectStatus(await owner.patch(path(), { status: 'checked_in' }), 200)
    expectProblem(await owner.get(`${path()}/cancellation`), 409, 'invalid-status-transition')
  })
})

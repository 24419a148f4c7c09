import { signature } from '../../sandbox/src/payments/deliveries.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { odd, type Ask } from './exercise-inventory.ts'
import { intentOf, pay } from './payments.ts'
import { addConflict } from './pms-bookings.ts'
import { addBooking, addUnit, unknownId } from './records.ts'
import { until, type LinkedUnit } from './linked-units.ts'
import { picture } from './uploads.ts'
import type { World } from './world.ts'

interface ExerciseContext {
  world: World
  owner: TestCaller
  ask: Ask
  linked: Pick<LinkedUnit, 'targetId' | 'spaceId'>
}

/** Stays, from the search to the refund, and the messages of the product and of the PMS about them. */
export async function exerciseBookings(context: ExerciseContext): Promise<void> {
  const booking = await exerciseStay(context)
  await exercisePayments(context, booking)
  await exerciseMessages(context)
  await exerciseMedia(context)
  await exerciseGuestData(context)
}

const bookings = '/api/v1/bookings'
const key = { 'idempotency-key': 'one-stay' }

async function exerciseStay({ owner, ask }: ExerciseContext): Promise<string> {
  const { id: unitId } = await addUnit(owner, { base_price_cents: 10_000 })
  const nights = 'from=2031-07-01&to=2031-07-04'
  await ask('GET', `/api/v1/availability?${nights}&limit=1`)
  await ask('GET', `/api/v1/availability?${nights}&unit_id=${unitId}`)
  await ask('GET', '/api/v1/availability?from=2031-07-04&to=2031-07-01')
  const stay = { unitId, guestName: 'Zoë “quoted” 👩‍🚀', checkIn: '2031-07-01', checkOut: '2031-07-04' }
  const id = expectStatus(await ask('POST', bookings, stay, key), 201).booking.id as string
  await ask('POST', bookings, stay, key)
  await ask('POST', bookings, { ...stay, notes: 'Other words' }, key)
  // No room is left.
  await ask('POST', bookings, { ...stay, checkOut: '2031-07-02' })
  await ask('POST', bookings, { ...stay, unitId: unknownId })
  await ask('POST', bookings, { ...stay, checkOut: stay.checkIn })
  const replacement = { ...stay, guestEmail: 'zoe@guest.example', totalCents: 20_000 }
  await ask('PUT', `${bookings}/${id}`, replacement)
  await ask('PATCH', `${bookings}/${id}`, { notes: odd }, { 'if-match': '"0.x"' })
  await ask('PATCH', `${bookings}/${id}`, { notes: odd })
  const later = { ...stay, checkIn: '2031-08-01', checkOut: '2031-08-03' }
  const other = expectStatus(await ask('POST', bookings, later), 201).booking.id as string
  await ask('PATCH', `${bookings}/${other}`, { checkIn: '2031-07-03' })
  await ask('POST', `${bookings}/${other}/preview`, { checkIn: '2031-07-03' })
  await ask('POST', `${bookings}/${other}/preview`, { checkOut: '2031-08-04' })
  await ask('GET', `${bookings}/${other}/cancellation`)
  await ask('GET', `${bookings}/${other}/timeline`)
  await ask('GET', `${bookings}/${unknownId}/timeline`)
  await ask('PATCH', `${bookings}/${other}`, { status: 'cancelled' })
  await ask('PATCH', `${bookings}/${other}`, { status: 'checked_in' })
  await ask('DELETE', `${bookings}/${other}`)
  await ask('DELETE', `${bookings}/${other}`)
  await ask('GET', '/api/v1/admin/analytics?from=2031-07-01&to=2031-07-31')
  await ask('GET', '/api/v1/admin/analytics?from=2031-07-31&to=2031-07-01')
  return id
}

async function exerciseGuestData({ ask }: ExerciseContext): Promise<void> {
  const guest = { email: 'zoe@guest.example' }
  await ask('POST', '/api/v1/guest-exports', guest)
  await ask('POST', '/api/v1/guest-exports', { booking_id: unknownId })
  await ask('POST', '/api/v1/guest-exports', {})
  const { guest_erasure } = expectStatus(await ask('POST', '/api/v1/guest-erasures', guest), 201)
  await ask('GET', `/api/v1/guest-erasures/${guest_erasure.id}`)
}

async function exercisePayments({ world, owner, ask }: ExerciseContext, booking_id: string): Promise<void> {
  const path = '/api/v1/payment-intents'
  const asked = { booking_id, amount: 20_000, currency: 'eur' }
  const open = async (fields: object) =>
    expectStatus(await ask('POST', path, { ...asked, ...fields }), 201).payment_intent as Parameters<
      typeof pay
    >[1] & {
      id: string
    }
  const has = (intent: { id: string }, wanted: string) =>
    until(
      () => intentOf(owner, intent),
      ({ status }) => status === wanted,
    )
  const held = await open({ capture_method: 'manual' })
  await ask('POST', `${path}/${held.id}/capture`, {})
  await pay(world, held)
  await has(held, 'requires_capture')
  await ask('POST', `${path}/${held.id}/capture`, { amount: 15_000 })
  await has(held, 'succeeded')
  await ask('POST', `${path}/${held.id}/refunds`, { amount: 1_000 })
  await ask('POST', `${path}/${held.id}/refunds`, { amount: 2_000_000 })
  const dropped = await open({ amount: 5_000 })
  await ask('POST', `${path}/${dropped.id}/cancel`)
  await ask('POST', path, { ...asked, booking_id: unknownId })
  const notice = { id: 'evt_1', object: 'event', type: 'ping', created: 1, data: { object: { object: 'x' } } }
  const proof = { 'stripe-signature': signature(JSON.stringify(notice), 'whsec_world') }
  await ask('POST', '/webhooks/payments', notice, proof)
  await ask('POST', '/webhooks/payments', notice)
}

async function exerciseMessages({ world, owner, ask, linked: { targetId } }: ExerciseContext): Promise<void> {
  for (const path of [`/webhooks/pms/${targetId}`, `/webhooks/pms?target=${targetId}`, '/webhooks/pms'])
    await ask('POST', path, { id: `evt_${path}`, type: 'ping', odd })
  await ask('POST', '/webhooks/pms', 'no object')
  const messages = '/api/v1/webhook-messages'
  const message = (await owner.get(messages)).body.webhook_messages[0].id as string
  await ask('POST', `${messages}/${message}/replay`)
  await addConflict(world, world.home, targetId, odd)
  const conflicts = '/api/v1/booking-conflicts'
  const conflict = (await owner.get(conflicts)).body.booking_conflicts[0].id as string
  await ask('POST', `${conflicts}/${conflict}/retry`)
  for (const reason of ['', odd, odd]) await ask('POST', `${conflicts}/${conflict}/dismissal`, { reason })
  await addConflict(world, world.home, targetId, odd)
  const other = (await owner.get(conflicts)).body.booking_conflicts[0].id as string
  for (const unit_id of [unknownId, (await addUnit(owner)).id])
    await ask('POST', `${conflicts}/${other}/acceptance`, { unit_id })
  const preferences = '/api/v1/notification-preferences'
  await ask('GET', preferences)
  await ask('PUT', preferences, { emails: ['desk@casa.example'], locale: 'en' })
  await ask('PUT', preferences, { emails: ['no address'] })
  for (const more of ['', '&format=text', '&format=none'])
    await ask('GET', `/api/v1/notification-templates/preview?kind=booking.confirmed${more}`)
  const mail = { to: 'desk@casa.example', subject: 'Zoë “quoted”', body: odd }
  await ask('POST', '/api/v1/test/send-email', mail)
  await ask('POST', '/api/v1/test/send-email', { ...mail, to: 'nobody' })
  await ask('POST', `/api/v1/notifications/${unknownId}/resend`)
  await ask('PUT', preferences, {
    phones: ['+351912345678'],
    kinds: { 'booking.confirmed': { email: false, sms: true } },
  })
  await addBooking(owner, { unitId: (await addUnit(owner)).id })
  const [sent] = await until(
    async () =>
      (await owner.get('/api/v1/notifications?status=skipped')).body.notifications as { id: string }[],
    (found) => found.length > 0,
  )
  await ask('POST', `/api/v1/notifications/${sent!.id}/resend`)
}

async function exerciseMedia({ ask, linked: { spaceId } }: ExerciseContext): Promise<void> {
  const form = new FormData()
  form.append('description', odd)
  form.append('file', new Blob([new Uint8Array(await picture())]), 'photo.jpg')
  const path = `/api/v1/properties/${spaceId}/media`
  const { id, url } = expectStatus(await ask('POST', path, form), 200).media as { id: string; url: string }
  await ask('POST', path, {})
  await ask('GET', path)
  await ask('GET', new URL(url).pathname)
  await ask('PATCH', `/api/v1/media/${id}`, { description: 'At noon' })
  await ask('PATCH', `/api/v1/media/${id}`, {})
  await ask('POST', path, form)
  await ask('DELETE', `/api/v1/media/${id}`)
}

import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { startMail } from '../../../../../sandbox/src/mail/server.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import {
  addEndpoint,
  deliveryOf,
  endpointsPath,
  makeDeliveriesDue,
  openReceiver,
  type Receiver,
} from '#test/webhook-receiver.ts'
import { openWorld, type World } from '#test/world.ts'
import { requeueDueDeliveries } from '#features/messaging/webhooks/jobs.ts'
import { notificationKinds } from './notification.ts'

let catcher: Awaited<ReturnType<typeof startMail>>
let partner: Receiver
let world: World
let owner: TestCaller
const preferences = '/api/v1/notification-preferences'
const office = 'office@casa.example'
const kind = 'webhook.disabled'

before(async () => {
  catcher = await startMail()
  partner = await openReceiver()
  const sms = { SMS_URL: catcher.url, SMS_ACCOUNT: 'ACtest', SMS_TOKEN: 'secret', SMS_FROM: '+15005550006' }
  world = await openWorld({ workers: true, env: { SMTP_URL: catcher.smtpUrl, ...sms } })
  owner = await world.home.as('owner')
})
beforeEach(async () => {
  await world.settled()
  catcher.clear()
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await partner.close()
  await catcher.close()
})

const prefer = (wanted: object) => owner.put(preferences, { emails: [office], ...wanted })
const run = (statement: ReturnType<typeof sql>) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [statement])

const listening = (path: string, fields: object = {}) =>
  addEndpoint(owner, `${partner.url}${path}`, { event_types: ['space.created'], ...fields })

/** Four concurrent deliveries to an endpoint are answered with 410. */
async function gone(path: string) {
  partner.answer(path, { status: 410 })
  const { id } = await listening(path)
  await run(sql`update webhook_endpoints set held_until = now() + interval '1 hour' where id = ${id}`)
  await Promise.all(Array.from({ length: 4 }, () => addSpace(owner)))
  await world.settled()
  await run(sql`update webhook_endpoints set held_until = null where id = ${id}`)
  await requeueDueDeliveries(world.resources)
  await until(
    () => owner.get(`${endpointsPath}/${id}`),
    ({ body }) => body.webhook_endpoint.disabled_reason === 'gone',
  )
  await world.settled()
  assert.equal(partner.at(path).length, 4)
}

const got = () => catcher.messages().map(({ to, subject, text }) => `${to.join()}: ${subject ?? text}`)
const listNotifications = async () =>
  expectStatus(await owner.get(`/api/v1/notifications?kind=${kind}`), 200).notifications

suite('a disabled webhook endpoint', () => {
  test('notifies of a 410 once, without secrets of the URL', async () => {
    expectStatus(await prefer({ locale: 'pt' }), 200)
    await gone('/gone?token=hush-hush')
    assert.deepEqual(got(), [`${office}: Um webhook foi desativado: ${new URL(partner.url).host}`])
    const { html, text } = catcher.messages()[0]!
    assert.match(text!, /answered with 410/)
    assert.doesNotMatch(`${html}${text}`, /hush-hush|whsec_/)
    const [notification, ...others] = await listNotifications()
    assert.deepEqual(others, [])
    assert.deepEqual([notification.audience, notification.status], ['operator', 'sent'])
  })

  test('notifies of five days of failures with the description, also by SMS', async () => {
    const kinds = { [kind]: { email: true, sms: true } }
    expectStatus(await prefer({ phones: ['+351912345678'], kinds }), 200)
    partner.answer('/dead', { status: 500 })
    const endpoint = await listening('/dead', { description: 'Key boxes' })
    await addSpace(owner)
    await deliveryOf(owner, endpoint, (one) => one.response_status === 500)
    await world.settled()
    assert.deepEqual(got(), [])
    await run(
      sql`update webhook_endpoints set failing_since = now() - interval '5 days 1 hour' where id = ${endpoint.id}`,
    )
    await makeDeliveriesDue(world, world.home.id, endpoint.id)
    await requeueDueDeliveries(world.resources)
    await until(
      () => Promise.resolve(got()),
      (seen) => seen.length >= 2,
    )
    await world.settled()
    assert.deepEqual(got().sort(), [
      '+351912345678: A webhook endpoint was disabled. Key boxes has failed every delivery for five days.',
      `${office}: A webhook endpoint was disabled: Key boxes`,
    ])
  })

  test('respects preferences', async () => {
    expectStatus(await prefer({ kinds: { [kind]: { email: false, sms: false } } }), 200)
    const before = await listNotifications()
    await gone('/silent')
    assert.deepEqual(got(), [])
    assert.deepEqual(await listNotifications(), before)
  })

  test('older preferences stay valid, with e-mail for the new kind', async () => {
    const ways = { email: false, sms: true }
    const kinds = Object.fromEntries(
      notificationKinds.filter((one) => one !== kind).map((one) => [one, ways]),
    )
    const stored = { emails: [office], phones: ['+351912345678'], locale: 'de', guests: false, kinds }
    await run(sql`update organizations set settings = jsonb_set(settings, '{notifications}', ${JSON.stringify(stored)}::jsonb)
      where id = ${world.home.id}`)
    const { notification_preferences: found } = expectStatus(await owner.get(preferences), 200)
    assert.deepEqual(found, { ...stored, kinds: { ...kinds, [kind]: { email: true, sms: false } } })
    await gone('/old')
    assert.deepEqual(got(), [`${office}: Ein Webhook wurde abgeschaltet: ${new URL(partner.url).host}`])
  })
})

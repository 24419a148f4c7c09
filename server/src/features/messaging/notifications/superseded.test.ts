import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { startMail } from '../../../../../sandbox/src/mail/server.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'

let catcher: Awaited<ReturnType<typeof startMail>>
let world: World
let owner: TestCaller
let database: ReturnType<typeof openOwner>

before(async () => {
  catcher = await startMail({ smtpPort: 0 })
  world = await openWorld({ workers: true, env: { SMTP_URL: catcher.smtpUrl } })
  owner = await world.home.as('owner')
  database = openOwner(world.databaseUrl)
})
after(async () => {
  await database.close()
  await world[Symbol.asyncDispose]()
  await catcher.close()
})

interface Message {
  id: string
  to: string
  kind: string
  status: string
  attempts: number
  error_code: string | null
  next_attempt_at: string | null
}
const latest = async (kind: string, audience: string): Promise<Message | undefined> =>
  (await owner.get(`/api/v1/notifications?kind=${kind}&audience=${audience}`)).body.notifications[0]
const read = async (id: string): Promise<Message> =>
  expectStatus(await owner.get(`/api/v1/notifications/${id}`), 200).notification
/** The confirmation, once the mail server has asked to try again later. */
const deferredConfirmation = async (audience: string) =>
  (await until(
    () => latest('booking.confirmed', audience),
    (seen) => Boolean(seen?.next_attempt_at),
  ))!
/** Makes the next attempt due until it was made. */
const tryAgain = async ({ id }: Message) => {
  const { attempts } = await read(id)
  return await until(
    async () => {
      await database.pipelined({ orgId: null }, [
        sql`update queue.jobs set due_at = now() where queue = 'notifications' and attempts = 0`,
      ])
      return await read(id)
    },
    (seen) => seen.status !== 'queued' || seen.attempts > attempts,
  )
}

suite('a repeated attempt', () => {
  test('sends nothing that a later message to the same audience has replaced, but what others did not get', async () => {
    const kinds = { 'booking.changed': { email: false, sms: false } }
    const emails = ['later@casa.example']
    expectStatus(await owner.put('/api/v1/notification-preferences', { emails, kinds }), 200)
    const unit = await addUnit(owner)
    const { id } = await addBooking(owner, { unitId: unit.id, guestEmail: 'later@guest.example' })
    const toGuest = await deferredConfirmation('guest')
    const toOperator = await deferredConfirmation('operator')
    expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { guestEmail: 'grace@guest.example' }), 200)
    await until(
      () => latest('booking.confirmed', 'guest'),
      (seen) => seen?.to === 'grace@guest.example' && seen.status === 'sent',
    )
    assert.equal((await tryAgain(toGuest)).error_code, 'superseded')
    assert.notEqual((await tryAgain(toOperator)).error_code, 'superseded')
  })
})

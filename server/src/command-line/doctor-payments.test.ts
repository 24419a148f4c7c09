import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addStay, askFor, settledIntent } from '#test/payments.ts'
import { shareWorld } from '#test/share-world.ts'
import { runCheck } from './doctor-check.ts'
import { checkPayments } from './doctor-payments.ts'

const { world, owner } = shareWorld({ workers: true })

const checkRecords = () =>
  runCheck(checkPayments(world.config).find(({ name }) => name === 'Payment records')!)

/** A payment as it is at the provider after a restore: it has been opened by us, and there is no record of it. */
const openUnknown = (orgId: string) => {
  const ourId = randomUUID()
  const price = { amount: 10_000, currency: 'eur', captureMethod: 'automatic' } as const
  const payment = { ourId, orgId, bookingId: randomUUID(), ...price, requestedAt: new Date() }
  return world.resources.payments.open(payment, ourId, { traceparent: null })
}

test('the doctor checks Stripe itself when only a key is set', () => {
  const { config } = world
  const payments = { ...config.payments, url: null, apiKey: 'sk_test_1' }
  const names = checkPayments({ ...config, payments }).map(({ name }) => name)
  assert.deepEqual(names, ['Payments', 'Payment records'])
  assert.deepEqual(checkPayments({ ...config, payments: { ...payments, apiKey: null } }), [])
})

test('the doctor names the payments at the provider that a restored database does not know', async () => {
  await settledIntent(owner, await askFor(owner, await addStay(owner)))
  // The organization of another cell.
  await openUnknown(randomUUID())
  assert.ok((await checkRecords()).ok)
  const { reference } = await openUnknown(world.home.id)
  const { ok, detail } = await checkRecords()
  assert.equal(ok, false)
  assert.deepEqual(detail.match(/pi_\w+/g), [reference])
})

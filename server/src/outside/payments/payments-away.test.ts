import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, suite, test } from 'node:test'
import { openPayments } from '../../../../sandbox/test/payments-caller.ts'
import { startFaultProxy, type FaultProxy } from '../../../test/fault-proxy.ts'
import { PaymentsFailure } from './payments-failure.ts'
import type { Payments } from './payments.ts'
import { stripePayments } from './stripe-payments.ts'

let provider: Awaited<ReturnType<typeof openPayments>>
let way: FaultProxy
let payments: Payments
const call = { traceparent: null }
const isUnreachable = (error: unknown) => error instanceof PaymentsFailure && error.code === 'unreachable'

before(async () => {
  provider = await openPayments()
  way = await startFaultProxy(provider.url)
  payments = stripePayments({ url: way.url, apiKey: 'sk_test_1', webhookSecrets: [], patienceMs: 1_500 })
})
afterEach(() => way.set({ mode: 'pass' }))
after(async () => {
  await way[Symbol.asyncDispose]()
  await provider.close()
})

const wanted = () => ({
  ...{ ourId: randomUUID(), orgId: randomUUID(), bookingId: randomUUID(), amount: 2_000, currency: 'usd' },
  ...{ captureMethod: 'automatic' as const, askedAt: new Date() },
})

suite('a provider of payments in trouble', () => {
  for (const fault of [
    { mode: 'refuse' },
    { mode: 'reset' },
    { mode: 'blackhole' },
    { mode: 'trickle', bytesPerSecond: 20 },
    { mode: 'drop_reply' },
  ] as const)
    test(
      `${fault.mode}: a payment is not opened so far as we know, and then once`,
      { timeout: 60_000 },
      async () => {
        const one = wanted()
        await way.set(fault, fault.mode === 'trickle' ? 'to_client' : undefined)
        await assert.rejects(payments.open(one, one.ourId, call), isUnreachable)
        await way.set({ mode: 'pass' })
        const { reference } = await payments.open(one, one.ourId, call)
        assert.equal((await payments.open(one, one.ourId, call)).reference, reference)
        assert.equal((await payments.findOpened(one, call))?.reference, reference)
      },
    )
})

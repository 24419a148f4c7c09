import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, suite, test } from 'node:test'
import { openPayments } from '../../../../sandbox/test/payments-caller.ts'
import { startFaultProxy, type FaultProxy } from '#test/fault-proxy.ts'
import { PaymentsFailure } from './payments-failure.ts'
import type { Payments } from './payments.ts'
import { stripePayments } from './stripe-payments.ts'

let provider: Awaited<ReturnType<typeof openPayments>>
let proxy: FaultProxy
let payments: Payments
const context = { traceparent: null }
const isUnreachable = (error: unknown) => error instanceof PaymentsFailure && error.code === 'unreachable'

before(async () => {
  provider = await openPayments()
  proxy = await startFaultProxy(provider.url)
  payments = stripePayments({
    url: proxy.url,
    apiKey: 'sk_test_1',
    webhookSecrets: [],
    operationTimeoutMs: 4_000,
  })
})
afterEach(() => proxy.set({ mode: 'pass' }))
after(async () => {
  await proxy[Symbol.asyncDispose]()
  await provider.close()
})

const newPayment = () => ({
  ...{ ourId: randomUUID(), orgId: randomUUID(), bookingId: randomUUID(), amount: 2_000, currency: 'usd' },
  ...{ captureMethod: 'automatic' as const, requestedAt: new Date() },
})

suite('an outage of the payment provider', () => {
  for (const fault of [
    { mode: 'refuse' },
    { mode: 'reset' },
    { mode: 'blackhole' },
    { mode: 'trickle', bytesPerSecond: 20 },
    { mode: 'drop_reply' },
  ] as const)
    test(
      `${fault.mode}: creating a payment fails as unreachable, and creates one when it is repeated`,
      { timeout: 60_000 },
      async () => {
        const one = newPayment()
        await proxy.set(fault, fault.mode === 'trickle' ? 'to_client' : undefined)
        await assert.rejects(payments.open(one, one.ourId, context), isUnreachable)
        await proxy.set({ mode: 'pass' })
        const { reference } = await payments.open(one, one.ourId, context)
        assert.equal((await payments.open(one, one.ourId, context)).reference, reference)
        assert.equal((await payments.findOpened(one, context))?.reference, reference)
      },
    )
})

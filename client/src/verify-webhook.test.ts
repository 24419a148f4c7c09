import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { verifyWebhook, WebhookVerificationError } from './client.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = JSON.stringify({ id: 'e-1', type: 'space.created', org_id: 'o-1', data: {} })
const secondsAgo = (seconds: number) => String(Math.floor(Date.now() / 1_000) - seconds)

const sign = (signed: string, at: string, key = secret) => {
  const hmac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
  return `v1,${hmac.update(`e-1.${at}.${signed}`).digest('base64')}`
}
const headersOf = (at: string, signature: string) => ({
  'webhook-id': 'e-1',
  'webhook-timestamp': at,
  'webhook-signature': signature,
})

const now = secondsAgo(0)
const genuine = headersOf(now, sign(body, now))
const assertRejected = (...args: Parameters<typeof verifyWebhook>) =>
  assert.rejects(verifyWebhook(...args), WebhookVerificationError)

suite('verifyWebhook', () => {
  test('returns the event of a genuine message, as text, bytes and with the headers of fetch', async () => {
    for (const given of [body, Buffer.from(body)]) {
      const { type, org_id } = await verifyWebhook(given, genuine, secret)
      assert.deepEqual([type, org_id], ['space.created', 'o-1'])
    }
    assert.equal((await verifyWebhook(body, new Headers(genuine), secret)).id, 'e-1')
  })

  test('takes the names of headers in any case, as gateways pass them on', async () => {
    const capitalized = {
      'Webhook-Id': 'e-1',
      'Webhook-Timestamp': now,
      'WEBHOOK-SIGNATURE': genuine['webhook-signature'],
    }
    assert.equal((await verifyWebhook(body, capitalized, secret)).id, 'e-1')
  })

  test('accepts either secret while one is rotated', async () => {
    const next = newSecret()
    const both = headersOf(now, `${sign(body, now, next)} ${sign(body, now)}`)
    for (const known of [secret, next, [newSecret(), secret]]) await verifyWebhook(body, both, known)
    await assertRejected(body, both, newSecret())
  })

  test('rejects what was changed: the body, the id, the time, the signature', async () => {
    await assertRejected(body.replace('o-1', 'o-2'), genuine, secret)
    await assertRejected(body, { ...genuine, 'webhook-id': 'e-2' }, secret)
    await assertRejected(body, { ...genuine, 'webhook-timestamp': String(Number(now) - 1) }, secret)
    for (const signature of ['v1,', 'v1,AAAA', 'v2,AAAA', 'v1,***', sign(body, now, newSecret())])
      await assertRejected(body, headersOf(now, signature), secret)
    await assertRejected(body, { ...genuine, 'webhook-signature': undefined }, secret)
  })

  test('rejects a message that is too old or from the future, by the tolerance that is given', async () => {
    for (const seconds of [310, -310]) {
      const at = secondsAgo(seconds)
      const signed = headersOf(at, sign(body, at))
      await assertRejected(body, signed, secret)
      await verifyWebhook(body, signed, secret, { toleranceSeconds: 600 })
    }
    await assertRejected(body, headersOf('', sign(body, '')), secret)
    await assertRejected(body, headersOf('NaN', sign(body, 'NaN')), secret)
  })
})

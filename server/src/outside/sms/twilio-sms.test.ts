import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startMail } from '../../../../sandbox/src/mail.ts'
import { Undelivered } from '#errors.ts'
import { noSms, twilioSms } from './twilio-sms.ts'

let provider: Awaited<ReturnType<typeof startMail>>
const known = { account: 'ACtest', token: 'secret', from: '+15005550006' }

before(async () => {
  provider = await startMail()
})
after(() => provider.close())

const sms = (fields: object = {}) => twilioSms({ url: provider.url, ...known, ...fields })
const text = (fields: object = {}) => ({
  to: '+351912345678',
  body: 'Olá: 1 < 2',
  triedSince: null,
  ...fields,
})
const failsAs = (code: string, retryable: boolean) => (error: unknown) => {
  assert.ok(error instanceof Undelivered)
  assert.deepEqual([error.code, error.retryable], [code, retryable], error.message)
  assert.doesNotMatch(error.message, /\+\d/)
  return true
}

suite('SMS by Twilio', () => {
  test('a message arrives at the configured host', async () => {
    const { providerId } = await sms().send(text())
    const [got] = provider.messages()
    assert.match(providerId, /^SM/)
    assert.deepEqual(
      [got!.channel, got!.from, got!.to, got!.text, got!.message_id],
      ['sms', known.from, ['+351912345678'], 'Olá: 1 < 2', providerId],
    )
  })

  test('one that was tried before is looked for before it is sent again', async () => {
    provider.clear()
    const triedSince = new Date(Date.now() - 60_000)
    const first = await sms().send(text())
    const again = await sms().send(text({ triedSince }))
    assert.deepEqual([again, provider.messages().length], [first, 1])
    await sms().send(text({ triedSince, body: 'Something else' }))
    assert.equal(provider.messages().length, 2)
  })

  test('refusals, patience and wrong credentials are told apart', async () => {
    await assert.rejects(sms().send(text({ to: '+15005550001' })), failsAs('recipient_refused', false))
    await assert.rejects(sms().send(text({ to: '+15005550002' })), failsAs('deferred', true))
    await assert.rejects(sms().send(text({ body: 'x'.repeat(1_601) })), failsAs('refused', false))
    await assert.rejects(sms({ token: 'wrong' }).send(text()), failsAs('auth_rejected', true))
    await assert.rejects(noSms.send(text()), failsAs('not_configured', false))
  })

  test('a provider that is away, breaks, or speaks no JSON', async () => {
    const broken = createServer((request, response) => {
      if (request.url?.includes('ACbreak')) return void response.writeHead(502).end('<html>')
      request.socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
    await assert.rejects(sms({ url, account: 'ACbreak' }).send(text()), failsAs('deferred', true))
    await assert.rejects(sms({ url, account: 'ACgone' }).send(text()), failsAs('network', true))
    broken.close()
    await once(broken, 'close')
    await assert.rejects(sms({ url }).send(text()), failsAs('network', true))
  })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startMail } from '../../../../sandbox/src/mail/server.ts'
import { DeliveryError } from '#errors.ts'
import { noSms, twilioSms } from './twilio-sms.ts'

let provider: Awaited<ReturnType<typeof startMail>>
const credentials = { account: 'ACtest', token: 'secret', from: '+15005550006' }

before(async () => {
  provider = await startMail()
})
after(() => provider.close())

const sms = (fields: object = {}) => twilioSms({ url: provider.url, ...credentials, ...fields })
const text = (fields: object = {}) => ({
  to: '+351912345678',
  body: 'Olá: 1 < 2',
  sentSince: null,
  ...fields,
})
const failsAs = (code: string, retryable: boolean) => (error: unknown) => {
  assert.ok(error instanceof DeliveryError)
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
      ['sms', credentials.from, ['+351912345678'], 'Olá: 1 < 2', providerId],
    )
  })

  test('a path of the configured address is kept', async () => {
    const paths: string[] = []
    const gateway = createServer((request, response) => {
      paths.push(request.url!)
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}')
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/sms`
    try {
      await sms({ url }).send(text())
      assert.deepEqual(paths, ['/sms/2010-04-01/Accounts/ACtest/Messages.json'])
    } finally {
      gateway.close()
    }
  })

  test('returns the earlier message instead of sending a repeated one', async () => {
    provider.clear()
    const sentSince = new Date(Date.now() - 60_000)
    const first = await sms().send(text())
    const again = await sms().send(text({ sentSince }))
    assert.deepEqual([again, provider.messages().length], [first, 1])
    await sms().send(text({ sentSince, body: 'Something else' }))
    assert.equal(provider.messages().length, 2)
  })

  test('distinguishes refused, deferred and unauthorized messages', async () => {
    await assert.rejects(sms().send(text({ to: '+15005550001' })), failsAs('recipient_refused', false))
    await assert.rejects(sms().send(text({ to: '+15005550002' })), failsAs('deferred', true))
    await assert.rejects(sms().send(text({ body: 'x'.repeat(1_601) })), failsAs('refused', false))
    await assert.rejects(sms({ token: 'wrong' }).send(text()), failsAs('auth_rejected', true))
    await assert.rejects(noSms.send(text()), failsAs('not_configured', false))
  })

  test('fails when the provider is down, closes the connection, or responds without JSON', async () => {
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

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { startMail } from '../../../../sandbox/src/mail/server.ts'
import { DeliveryError } from '#errors.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { until } from '#test/linked-units.ts'
import { isMailAddress } from '#schema/fields.ts'
import type { MailMessage } from './mail.ts'
import { noMail, smtpMail } from './smtp-mail.ts'

let sandbox: Awaited<ReturnType<typeof startMail>>
let mail: ReturnType<typeof smtpMail>

before(async () => {
  sandbox = await startMail()
  mail = smtpMail({ url: sandbox.smtpUrl, from: 'Casa Azul <stay@casa.example>' })
})
after(async () => {
  mail.close()
  await sandbox.close()
})

const message = (fields: Partial<MailMessage> = {}): MailMessage => ({
  to: 'ada@guest.example',
  subject: 'Ihr Aufenthalt – schön',
  text: 'Guten Tag',
  html: '<p>Guten Tag</p>',
  messageId: 'one@casa.example',
  ...fields,
})
const failsAs = (code: string, retryable: boolean) => (error: unknown) => {
  assert.ok(error instanceof DeliveryError)
  assert.deepEqual([error.code, error.retryable], [code, retryable], error.message)
  assert.doesNotMatch(error.message, /@/)
  return true
}

suite('mail over SMTP', () => {
  test('a message arrives completely, with the given Message-ID', async () => {
    await mail.send(message())
    const [got] = sandbox.messages()
    assert.deepEqual(
      [got!.from, got!.to, got!.subject, got!.text?.trim(), got!.html?.trim(), got!.message_id],
      [
        'Casa Azul <stay@casa.example>',
        ['ada@guest.example'],
        'Ihr Aufenthalt – schön',
        'Guten Tag',
        '<p>Guten Tag</p>',
        '<one@casa.example>',
      ],
    )
    await mail.verify()
  })

  test('distinguishes a refused recipient from a deferred message', async () => {
    await assert.rejects(
      mail.send(message({ to: 'refused@guest.example' })),
      failsAs('recipient_refused', false),
    )
    await assert.rejects(mail.send(message({ to: 'later@guest.example' })), failsAs('deferred', true))
  })

  test('fails when the server closes the connection, is down, or is not configured', async () => {
    const closing = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(closing, 'listening')
    const { port } = closing.address() as { port: number }
    const toClosing = smtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'a@b.example' })
    await assert.rejects(toClosing.send(message()), failsAs('network', true))
    closing.close()
    await once(closing, 'close')
    await assert.rejects(toClosing.send(message()), failsAs('network', true))
    await assert.rejects(toClosing.verify(), failsAs('network', true))
    toClosing.close()
    await assert.rejects(noMail.send(message()), failsAs('not_configured', false))
  })

  test('stops waiting for a server that sends a byte at a time, and closes the connection', async () => {
    await using proxy = await startFaultProxy(sandbox.smtpUrl)
    await proxy.set({ mode: 'trickle', bytesPerSecond: 8 }, 'to_client')
    const toSlow = smtpMail({ url: proxy.url, from: 'a@b.example', maxSendMs: 2_000 })
    await assert.rejects(toSlow.send(message()), failsAs('timeout', true))
    await proxy.set({ mode: 'pass' })
    await until(
      () => Promise.resolve(proxy.counts().open),
      (open) => open === 0,
    )
    await toSlow.send(message({ messageId: 'two@casa.example' }))
    assert.ok(sandbox.messages().some(({ message_id: id }) => id === '<two@casa.example>'))
    toSlow.close()
  })

  test('a line break in the subject adds neither a header nor a recipient', async () => {
    sandbox.clear()
    await mail.send(message({ subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\n<b>mine</b>' }))
    const [got] = sandbox.messages()
    assert.deepEqual(got!.to, ['ada@guest.example'])
    assert.ok(!got!.headers.some(({ name }) => /^bcc$/i.test(name)))
    assert.equal(got!.text?.trim(), 'Guten Tag')
  })

  test('isMailAddress accepts one plain address only', () => {
    for (const good of ['a@b.example', 'first.last+tag@sub.casa.example', "o'neil@x-y.example"])
      assert.ok(isMailAddress(good), good)
    for (const bad of [
      '',
      'a',
      'a@b',
      'a@b.example, c@d.example',
      'a@b.example;c@d.example',
      'Ada <a@b.example>',
      'a@b.example\r\nBcc: c@d.example',
      'a@b.example\n',
      '"a b"@c.example',
      'a@b@c.example',
      'a%c.example@b.example',
      'c.example!a@b.example',
      'a@b.example(comment)',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
      '<x@y.zz>',
      'group:a@b.co',
      'group:a@b.co;',
      '.a@b.example',
      'a..b@c.example',
      'a@-b.example',
      `${'x'.repeat(65)}@b.example`,
      `a@${'b.'.repeat(126)}example`,
    ])
      assert.ok(!isMailAddress(bad), bad)
  })
})

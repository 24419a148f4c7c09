import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { startMail } from '../../../../sandbox/src/mail.ts'
import { Undelivered } from '#errors.ts'
import { startFaultProxy } from '../../../test/fault-proxy.ts'
import { until } from '../../../test/stock.ts'
import { isMailAddress } from '#mail-address.ts'
import type { Letter } from './mail.ts'
import { noMail, smtpMail } from './smtp-mail.ts'

let catcher: Awaited<ReturnType<typeof startMail>>
let mail: ReturnType<typeof smtpMail>

before(async () => {
  catcher = await startMail()
  mail = smtpMail({ url: catcher.smtpUrl, from: 'Casa Azul <stay@casa.example>' })
})
after(async () => {
  mail.close()
  await catcher.close()
})

const letter = (fields: Partial<Letter> = {}): Letter => ({
  to: 'ada@guest.example',
  subject: 'Ihr Aufenthalt – schön',
  text: 'Guten Tag',
  html: '<p>Guten Tag</p>',
  messageId: 'one@casa.example',
  ...fields,
})
const failsAs = (code: string, retryable: boolean) => (error: unknown) => {
  assert.ok(error instanceof Undelivered)
  assert.deepEqual([error.code, error.retryable], [code, retryable], error.message)
  assert.doesNotMatch(error.message, /@/)
  return true
}

suite('mail over SMTP', () => {
  test('a letter arrives whole, with the name that was given to it', async () => {
    await mail.send(letter())
    const [got] = catcher.messages()
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
    assert.ok(await mail.reachable())
  })

  test('what the server says no to is told apart from what it puts off', async () => {
    await assert.rejects(
      mail.send(letter({ to: 'refused@guest.example' })),
      failsAs('recipient_refused', false),
    )
    await assert.rejects(mail.send(letter({ to: 'later@guest.example' })), failsAs('deferred', true))
  })

  test('a server that is away, hangs up, or is not configured', async () => {
    const rude = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(rude, 'listening')
    const { port } = rude.address() as { port: number }
    const toRude = smtpMail({ url: `smtp://127.0.0.1:${port}`, from: 'a@b.example' })
    await assert.rejects(toRude.send(letter()), failsAs('network', true))
    rude.close()
    await once(rude, 'close')
    await assert.rejects(toRude.send(letter()), failsAs('network', true))
    assert.equal(await toRude.reachable(), false)
    toRude.close()
    await assert.rejects(noMail.send(letter()), failsAs('not_configured', false))
  })

  test('a server that answers a byte at a time is left after a while, and its connection with it', async () => {
    await using way = await startFaultProxy(catcher.smtpUrl)
    await way.set({ mode: 'trickle', bytesPerSecond: 8 }, 'to_client')
    const toSlow = smtpMail({ url: way.url, from: 'a@b.example', longestMs: 500 })
    await assert.rejects(toSlow.send(letter()), failsAs('timeout', true))
    await way.set({ mode: 'pass' })
    await until(
      () => Promise.resolve(way.counts().open),
      (open) => open === 0,
    )
    await toSlow.send(letter({ messageId: 'two@casa.example' }))
    assert.ok(catcher.messages().some(({ message_id: id }) => id === '<two@casa.example>'))
    toSlow.close()
  })

  test('a line break in a subject or two addresses in one make no second header and no second reader', async () => {
    catcher.clear()
    await mail.send(letter({ subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\n<b>mine</b>' }))
    const [got] = catcher.messages()
    assert.deepEqual(got!.to, ['ada@guest.example'])
    assert.ok(!got!.headers.some(({ name }) => /^bcc$/i.test(name)))
    assert.equal(got!.text?.trim(), 'Guten Tag')
  })

  test('an address is one address', () => {
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

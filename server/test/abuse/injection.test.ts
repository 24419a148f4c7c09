import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startMail } from '../../../sandbox/src/mail/server.ts'
import { render } from '#features/messaging/notifications/render-notification.ts'
import { notificationKinds } from '#features/messaging/notifications/notification.ts'
import { audiencesFor, sampleData } from '#features/messaging/notifications/templates.ts'
import { languages } from '#schema/language.ts'
import type { TestCaller } from '../caller.ts'
import { expectProblem, expectStatus } from '../expect.ts'
import { addSpace, addUnit } from '../records.ts'
import { until } from '../linked-units.ts'
import { openWorld, type World } from '../world.ts'

// Text of guests and operators is escaped in mails: it adds no header, tag or line.

let catcher: Awaited<ReturnType<typeof startMail>>
let world: World
let owner: TestCaller

before(async () => {
  catcher = await startMail()
  world = await openWorld({
    workers: true,
    env: {
      SMTP_URL: catcher.smtpUrl,
      SMS_URL: catcher.url,
      SMS_ACCOUNT: 'ACtest',
      SMS_TOKEN: 'secret',
      SMS_FROM: '+15005550006',
    },
  })
  owner = await world.home.as('owner')
})
beforeEach(() => catcher.clear())
after(async () => {
  await world[Symbol.asyncDispose]()
  await catcher.close()
})

const breaks = [
  '\r\n',
  '\n',
  '\r',
  '\u0085',
  '\u2028',
  '\u2029',
  '\v',
  '\f',
  '%0d%0a',
  '\\r\\n',
  '\u560d\u560a',
]
const evil = (lineBreak: string) =>
  `Ada${lineBreak}Bcc: eve@evil.example${lineBreak}X-Evil: 1${lineBreak}${lineBreak}<script>alert(1)</script><img src=x onerror=alert(2)>"'&`

/** The mail that was sent: its recipients, headers and parts. */
function expectHarmless(message: ReturnType<typeof catcher.messages>[number]): void {
  assert.ok(!message.to.some((to) => to.includes('evil')), message.to.join())
  for (const { name, value } of message.headers) {
    assert.doesNotMatch(name, /^(bcc|cc|x-evil)$/i)
    assert.doesNotMatch(value, /[\r\n\u0085\u2028\u2029](?![ \t])/, `${name} has a second line`)
  }
  assert.doesNotMatch(message.subject ?? '', /[\p{Cc}\u2028\u2029]/u)
  assert.doesNotMatch(message.html ?? '', /<script|<img/i)
}

suite('e-mails and SMS', () => {
  for (const lineBreak of breaks)
    test(`names with ${JSON.stringify(lineBreak)} in them reach guest and office as text`, async () => {
      const space = await addSpace(owner, { name: 'Casa <i>Azul</i>' })
      const named = await owner.post('/api/v1/units', {
        space_id: space.id,
        name: `Room${lineBreak}Bcc: eve@evil.example<script>`,
      })
      // A name of two lines may be refused; the guest's name comes from anywhere.
      const unit = named.status === 201 ? named.body.unit : await addUnit(owner, { space_id: space.id })
      expectStatus(
        await owner.put('/api/v1/notification-preferences', {
          emails: ['office@casa.example'],
          phones: ['+4915112345678'],
        }),
        200,
      )
      const booked = await owner.post('/api/v1/bookings', {
        unitId: unit.id,
        guestName: evil(lineBreak),
        guestEmail: 'ada@guest.example',
        guestPhone: '+4915187654321',
        guests: 1,
        checkIn: '2031-07-01T15:00:00Z',
        checkOut: '2031-07-04T10:00:00Z',
        totalCents: 30_000,
        notes: evil(lineBreak),
      })
      if (booked.status === 400) return expectProblem(booked, 400, 'validation-error')
      expectStatus(booked, 201)
      await world.settled()
      const got = await until(
        () => Promise.resolve(catcher.messages()),
        (seen) => seen.length >= 2,
      )
      for (const message of got) expectHarmless(message)
      assert.ok(got.some(({ to }) => to.includes('ada@guest.example')))
    })

  test('a test e-mail has a subject of one line and a text body', async () => {
    const at = '/api/v1/test/send-email'
    for (const lineBreak of ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\v', '\f', '\0']) {
      const to = 'office@casa.example'
      const asked = [
        { to, subject: `A${lineBreak}Bcc: eve@evil.example`, body: 'x' },
        { to: `${to}${lineBreak}Bcc: eve@evil.example`, subject: 'A', body: 'x' },
      ]
      for (const body of asked)
        expectProblem(
          await owner.post(at, body),
          400,
          lineBreak === '\0' ? 'malformed-json' : 'validation-error',
        )
    }
    for (const to of [
      'a@b.example, eve@evil.example',
      'a@b.example;eve@evil.example',
      'A <a@b.example>',
      '"a\\"@b.example',
    ])
      expectProblem(await owner.post(at, { to, subject: 'A', body: 'x' }), 400, 'validation-error')
    expectStatus(await owner.post(at, { to: 'a@b.example', subject: 'Fine', body: evil('\r\n') }), 201)
    const [message] = await until(
      () => Promise.resolve(catcher.messages()),
      (seen) => seen.length === 1,
    )
    expectHarmless(message!)
    assert.match(message!.html!, /&lt;script&gt;/)
  })

  test('every template, in every language, escapes every text that it is given', () => {
    for (const kind of notificationKinds)
      for (const audience of audiencesFor(kind))
        for (const locale of languages)
          for (const lineBreak of breaks) {
            const data = spoiled(sampleData(kind), evil(lineBreak))
            const { subject, html, sms } = render(
              { kind, audience, locale, data },
              'https://stay.example/x"onclick="y',
            )
            assert.doesNotMatch(html, /<script|<img|"onclick="/i, `${kind} ${audience} ${locale}`)
            for (const line of [subject, sms]) assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u, kind)
          }
  })
})

/** The same data with a hostile text in place of every name and sentence. */
function spoiled<T>(part: T, text: string): T {
  if (Array.isArray(part)) return part.map((one) => spoiled(one, text)) as T
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' &&
      /name|organization|guest|unit|space|note|message|title|subject|body|reason/i.test(name)
        ? text
        : spoiled(value, text),
    ]),
  ) as T
}

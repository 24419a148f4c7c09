import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endpointData } from './template.ts'
import { openLocaleFormat } from './locale-format.ts'
import { languages } from '#schema/language.ts'
import { audiences, notificationKinds, retryDelayMs } from './notification.ts'
import { addresseesOf, skippedAddresseesOf } from './plan-notifications.ts'
import { parsePreferences } from './preferences.ts'
import { render } from './render-notification.ts'
import type { TemplateData } from './template.ts'
import { bookingNotificationKind } from './event-notification.ts'
import { audiencesFor, sampleData, templateFor } from './templates.ts'

suite('notifications of events', () => {
  const booking = (status: string) => ({ status })
  test('maps changes of a booking to kinds of notifications', () => {
    for (const [type, status, previous, kind] of [
      ['booking.created', 'confirmed', undefined, 'booking.confirmed'],
      ['booking.created', 'pending', undefined, null],
      ['booking.updated', 'confirmed', { status: 'pending', holdExpiresAt: 'x' }, 'booking.confirmed'],
      ['booking.updated', 'confirmed', { arrival: '2027-01-01' }, 'booking.changed'],
      ['booking.updated', 'confirmed', { guestEmail: null }, 'booking.changed'],
      ['booking.updated', 'confirmed', { notes: 'quiet room' }, null],
      ['booking.updated', 'checked_in', { status: 'confirmed' }, null],
      ['booking.updated', 'expired', { status: 'pending' }, null],
      ['booking.cancelled', 'cancelled', { status: 'confirmed' }, 'booking.cancelled'],
      ['booking.cancelled', 'cancelled', { status: 'pending' }, null],
      ['booking.cancelled', 'confirmed', undefined, 'booking.cancelled'],
      ['booking.cancelled', 'cancelled', undefined, null],
      ['booking.cancelled', 'expired', undefined, null],
      ['booking.cancelled', 'checked_out', undefined, null],
    ] as const)
      assert.equal(bookingNotificationKind(type, booking(status), previous), kind, `${type} ${status}`)
  })

  test('skips unreachable recipients with a reason', () => {
    const skipped = (given: object, owners: string[], guest: string | null, canText: boolean) =>
      skippedAddresseesOf(
        { kind: 'booking.confirmed', guestEmail: guest },
        { preferences: parsePreferences(given), owners },
        canText,
      ).map((one) => `${one.channel} ${one.audience} ${one.recipient} ${one.skipped.code}`)
    assert.deepEqual(skipped({}, ['boss@casa.example'], 'ana@x.example', false), [])
    assert.deepEqual(skipped({}, ['boss'], '<x@y.zz>', false), [
      'email guest <x@y.zz> invalid_address',
      'email operator boss invalid_address',
    ])
    assert.deepEqual(skipped({ guests: false, emails: ['a@b.example'] }, ['boss'], '<x@y.zz>', false), [])
    const texting = { phones: ['+351912345678'], kinds: { 'booking.confirmed': { sms: true } } }
    assert.deepEqual(skipped(texting, [], null, false), ['sms operator +351912345678 not_configured'])
    assert.deepEqual(skipped(texting, [], null, true), [])
  })

  test('notifies each recipient once, and a failure always somebody', () => {
    const owners = ['boss@casa.example']
    const addressees = (
      given: object,
      kind: 'sync.failed' | 'booking.confirmed',
      guest: string | null,
      canText = true,
    ) =>
      addresseesOf(
        { kind, guestEmail: guest },
        { preferences: parsePreferences(given), owners },
        canText,
      ).map(({ channel, audience, recipient }) => `${channel} ${audience} ${recipient}`)
    const off = { email: false, sms: false }
    assert.deepEqual(addressees({}, 'sync.failed', null), ['email operator boss@casa.example'])
    assert.deepEqual(addressees({ kinds: { 'sync.failed': off } }, 'sync.failed', null), [
      'email operator boss@casa.example',
    ])
    const texting = { phones: ['+351912345678'], kinds: { 'sync.failed': { email: false, sms: true } } }
    assert.deepEqual(addressees(texting, 'sync.failed', null), ['sms operator +351912345678'])
    assert.deepEqual(addressees(texting, 'sync.failed', null, false), ['email operator boss@casa.example'])
    assert.deepEqual(addressees({ sync_failure_emails: ['ops@casa.example'] }, 'sync.failed', null), [
      'email operator ops@casa.example',
    ])
    assert.deepEqual(
      addressees({ kinds: { 'booking.confirmed': off } }, 'booking.confirmed', 'Boss@casa.example'),
      ['email guest Boss@casa.example'],
    )
    assert.deepEqual(addressees({}, 'booking.confirmed', 'boss@casa.example'), [
      'email guest boss@casa.example',
    ])
    assert.deepEqual(addressees({ guests: false }, 'booking.confirmed', 'ada@x.example'), [
      'email operator boss@casa.example',
    ])
    assert.deepEqual(
      addressees({ emails: ['a@b.example'] }, 'booking.confirmed', 'ada@x.example, eve@x.example'),
      ['email operator a@b.example'],
    )
  })

  test('the delays grow, with up to a fifth added at random', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 0)),
      [10_000, 60_000, 600_000, 3_600_000],
    )
    assert.equal(retryDelayMs(1, 1), 12_000)
  })

  test('formats money and dates for each language, with 0, 2 and 3 decimals', () => {
    const textOf = (locale: string, currency: string, totalCents: number) =>
      render(
        {
          kind: 'booking.confirmed',
          audience: 'guest',
          locale,
          data: { ...sampleData('booking.confirmed'), currency, totalCents },
        },
        null,
      ).text
    assert.match(textOf('de', 'eur', 123_456), /1\.234,56\s€/)
    assert.match(textOf('en', 'jpy', 12_345), /12,345/)
    assert.match(textOf('en', 'kwd', 12_345), /12\.345/)
    assert.match(textOf('en', 'huf', 4_500_000), /HUF\s45,000\.00/)
    assert.match(textOf('de', 'cop', 4_500_050), /45\.000,50\sCOP/)
    assert.match(textOf('en-US', 'usd', 12_345), /Thursday, July 1, 2027/)
    assert.match(textOf('en', 'usd', 12_345), /Thursday,? 1 July 2027/)
    for (const locale of ['pt', 'PT', 'pt-PT'])
      assert.match(
        textOf(locale, 'eur', 123_456),
        /Chegada: quinta-feira, 1 de julho de 2027.*Total: 1234,56\s€/s,
      )
    assert.match(textOf('pt-BR', 'eur', 123_456), /A SUA ESTADIA ESTÁ CONFIRMADA.*Total: €\s1\.234,56/s)
    assert.match(textOf('it', 'usd', 12_345), /YOUR STAY IS CONFIRMED/)
  })

  test('names the number of rooms that the total is for, unless it is one', () => {
    const textOf = (rooms: number) => {
      const data = { ...sampleData('booking.changed'), rooms }
      return render({ kind: 'booking.changed', audience: 'guest', locale: 'de', data }, null).text
    }
    assert.match(textOf(3), /Gäste: 2\nZimmer: 3\nGesamtpreis/)
    assert.match(textOf(1), /Gäste: 2\nGesamtpreis/)
  })

  test('every kind has its own texts in every language', () => {
    assert.deepEqual(languages, ['en', 'de', 'fr', 'es', 'pt'])
    for (const kind of notificationKinds)
      for (const audience of audiencesFor(kind)) {
        const paragraphs: string[] = languages.flatMap(
          (language) =>
            templateFor(kind, audience).texts[language](sampleData(kind), openLocaleFormat(language))
              .paragraphs,
        )
        assert.equal(new Set(paragraphs).size, paragraphs.length, `${kind} ${audience}`)
      }
  })

  test('names an endpoint by its description, else its host, with the reason it was disabled', () => {
    const event = {
      url: 'https://partner.example:8443/in/s3cret?token=s3cret',
      description: null,
      disabled_reason: 'gone',
      failing_since: '2027-06-30T09:41:00.000Z',
    } as const
    const gone = endpointData('Casa Azul', event)
    assert.match(gone.message, /^partner\.example:8443 answered with 410/)
    assert.doesNotMatch(JSON.stringify(gone), /s3cret/)
    const failing = endpointData('Casa Azul', {
      ...event,
      description: 'Key boxes',
      disabled_reason: 'failing',
    })
    assert.match(failing.message, /^Key boxes .* five days/)
    assert.equal(failing.since, event.failing_since)
    assert.notEqual(failing.hint, gone.hint)
  })

  test('a hostile name stays text in every kind, language and form', () => {
    const hostile = `<script>alert(1)</script>"'&\r\nBcc: eve@evil.example\u202e`
    for (const kind of notificationKinds)
      for (const locale of languages)
        for (const audience of audiences) {
          const data = Object.fromEntries(
            Object.entries(sampleData(kind)).map(([name, value]) =>
              typeof value === 'string' && name !== 'status' && !/^\d{4}-|^[a-z]{3}$/.test(value)
                ? [name, hostile]
                : [name, value],
            ),
          ) as unknown as TemplateData
          const { html, subject, sms } = render({ kind, audience, locale, data }, 'https://vacancy.example')
          assert.doesNotMatch(html, /<script|alert\(1\)<\/script/)
          assert.match(html, /&lt;script&gt;alert\(1\)/)
          for (const line of [subject, sms]) assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e]/u)
        }
  })
})

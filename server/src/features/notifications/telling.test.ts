import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endpointStory } from './endpoint-story.ts'
import { languages, sayIn } from './locale.ts'
import { audiences, notificationKinds, waitMs } from './notification.ts'
import { readersOf, skippedReadersOf } from './plan-notifications.ts'
import { preferencesIn } from './preferences.ts'
import { render } from './render.ts'
import type { Story } from './stories.ts'
import { kindOfBooking } from './tell-story.ts'
import { audiencesOf, sampleOf, templateFor } from './templates.ts'

suite('what is told to whom', () => {
  const booking = (status: string) => ({ status })
  test('which change of a booking is told as what', () => {
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
    ] as const)
      assert.equal(kindOfBooking(type, booking(status), previous), kind, `${type} ${status}`)
  })

  test('who cannot be reached is skipped, each with a reason', () => {
    const skipped = (given: object, owners: string[], guest: string | null, canText: boolean) =>
      skippedReadersOf(
        { kind: 'booking.confirmed', guest },
        { preferences: preferencesIn(given), owners },
        canText,
      ).map((one) => `${one.channel} ${one.reader} ${one.recipient} ${one.skipped.code}`)
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

  test('everybody is told once, and a failure never nobody', () => {
    const owners = ['boss@casa.example']
    const told = (
      given: object,
      kind: 'sync.failed' | 'booking.confirmed',
      guest: string | null,
      canText = true,
    ) =>
      readersOf({ kind, guest }, { preferences: preferencesIn(given), owners }, canText).map(
        ({ channel, reader, recipient }) => `${channel} ${reader} ${recipient}`,
      )
    const off = { email: false, sms: false }
    assert.deepEqual(told({}, 'sync.failed', null), ['email operator boss@casa.example'])
    assert.deepEqual(told({ kinds: { 'sync.failed': off } }, 'sync.failed', null), [
      'email operator boss@casa.example',
    ])
    const texting = { phones: ['+351912345678'], kinds: { 'sync.failed': { email: false, sms: true } } }
    assert.deepEqual(told(texting, 'sync.failed', null), ['sms operator +351912345678'])
    assert.deepEqual(told(texting, 'sync.failed', null, false), ['email operator boss@casa.example'])
    assert.deepEqual(told({ sync_failure_emails: ['ops@casa.example'] }, 'sync.failed', null), [
      'email operator ops@casa.example',
    ])
    assert.deepEqual(
      told({ kinds: { 'booking.confirmed': off } }, 'booking.confirmed', 'Boss@casa.example'),
      ['email guest Boss@casa.example'],
    )
    assert.deepEqual(told({}, 'booking.confirmed', 'boss@casa.example'), ['email guest boss@casa.example'])
    assert.deepEqual(told({ guests: false }, 'booking.confirmed', 'ada@x.example'), [
      'email operator boss@casa.example',
    ])
    assert.deepEqual(told({ emails: ['a@b.example'] }, 'booking.confirmed', 'ada@x.example, eve@x.example'), [
      'email operator a@b.example',
    ])
  })

  test('the waits grow, and chance adds a fifth at most', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((attempt) => waitMs(attempt, 0)),
      [10_000, 60_000, 600_000, 3_600_000],
    )
    assert.equal(waitMs(1, 1), 12_000)
  })

  test('money and days are written as the language does, with 0, 2 and 3 decimals', () => {
    const said = (locale: string, currency: string, totalCents: number) =>
      render(
        {
          kind: 'booking.confirmed',
          audience: 'guest',
          locale,
          story: { ...sampleOf('booking.confirmed'), currency, totalCents },
        },
        null,
      ).text
    assert.match(said('de', 'eur', 123_456), /1\.234,56\s€/)
    assert.match(said('en', 'jpy', 12_345), /12,345/)
    assert.match(said('en', 'kwd', 12_345), /12\.345/)
    assert.match(said('en-US', 'usd', 12_345), /Thursday, July 1, 2027/)
    assert.match(said('en', 'usd', 12_345), /Thursday,? 1 July 2027/)
    for (const locale of ['pt', 'PT', 'pt-PT'])
      assert.match(
        said(locale, 'eur', 123_456),
        /Chegada: quinta-feira, 1 de julho de 2027.*Total: 1234,56\s€/s,
      )
    assert.match(said('pt-BR', 'eur', 123_456), /A SUA ESTADIA ESTÁ CONFIRMADA.*Total: €\s1\.234,56/s)
    assert.match(said('it', 'usd', 12_345), /YOUR STAY IS CONFIRMED/)
  })

  test('every kind has words of its own in every language', () => {
    assert.deepEqual(languages, ['en', 'de', 'fr', 'es', 'pt'])
    for (const kind of notificationKinds)
      for (const audience of audiencesOf(kind)) {
        const said: string[] = languages.flatMap(
          (language) =>
            templateFor(kind, audience).words[language](sampleOf(kind), sayIn(language)).paragraphs,
        )
        assert.equal(new Set(said).size, said.length, `${kind} ${audience}`)
      }
  })

  test('an endpoint is told by its description, else its host, and why it was switched off', () => {
    const facts = {
      url: 'https://partner.example:8443/in/s3cret?token=s3cret',
      description: null,
      disabled_reason: 'gone',
      failing_since: '2027-06-30T09:41:00.000Z',
    } as const
    const gone = endpointStory('Casa Azul', facts)
    assert.match(gone.message, /^partner\.example:8443 answered with 410/)
    assert.doesNotMatch(JSON.stringify(gone), /s3cret/)
    const failing = endpointStory('Casa Azul', {
      ...facts,
      description: 'Key boxes',
      disabled_reason: 'failing',
    })
    assert.match(failing.message, /^Key boxes .* five days/)
    assert.equal(failing.since, facts.failing_since)
    assert.notEqual(failing.hint, gone.hint)
  })

  test('a hostile name stays text in every kind, language and form', () => {
    const hostile = `<script>alert(1)</script>"'&\r\nBcc: eve@evil.example\u202e`
    for (const kind of notificationKinds)
      for (const locale of languages)
        for (const audience of audiences) {
          const story = Object.fromEntries(
            Object.entries(sampleOf(kind)).map(([name, value]) =>
              typeof value === 'string' && !/^\d{4}-|^[a-z]{3}$/.test(value)
                ? [name, hostile]
                : [name, value],
            ),
          ) as unknown as Story
          const { html, subject, sms } = render({ kind, audience, locale, story }, 'https://vacancy.example')
          assert.doesNotMatch(html, /<script|alert\(1\)<\/script/)
          assert.match(html, /&lt;script&gt;alert\(1\)/)
          for (const line of [subject, sms]) assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e]/u)
        }
  })
})

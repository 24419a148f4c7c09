import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { noIds, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { languages } from '#schema/language.ts'
import { mandatoryKinds, notificationKinds } from './notification.ts'

const { world, owner } = shareWorld({ env: { TEST_EMAIL_PER_HOUR: '3', TEST_EMAIL_DOMAINS: 'casa.example' } })
const [path, preferences, sending] = [
  '/api/v1/notifications',
  '/api/v1/notification-preferences',
  '/api/v1/test/send-email',
]
const letter = { to: 'office@casa.example', subject: 'Does it arrive?', body: 'It does.' }

suite('notifications: happy', () => {
  test('a test e-mail is queued as a notification', async () => {
    const admin = await world.home.as('admin')
    const queued = expectStatus(await admin.post(sending, letter), 201)
    assert.deepEqual(queued, { job_id: queued.job_id, status: 'queued', to: letter.to })
    const alone = await owner.get(`${path}/${queued.job_id}`)
    const { notification } = expectStatus(alone, 200)
    const { kind, channel, to, subject, status, attempts, event_id } = notification
    assert.deepEqual(
      [kind, channel, to, subject, status, attempts, event_id],
      ['test', 'email', letter.to, letter.subject, 'queued', 0, null],
    )
    assert.ok(!('story' in notification))
    const again = await owner.get(`${path}/${queued.job_id}`, { 'if-none-match': alone.headers.get('etag')! })
    assert.equal(again.status, 304)
    const found = expectStatus(await owner.get(`${path}?kind=test&status=queued`), 200).notifications
    assert.deepEqual(ids(found), [queued.job_id])
    assert.deepEqual(expectStatus(await owner.get(`${path}?channel=sms`), 200).notifications, [])
  })

  test('a repeated key sends one e-mail; the hourly limit applies', async () => {
    const manager = await world.away.as('owner')
    const key = { 'idempotency-key': 'one' }
    const first = await manager.post(sending, letter, key)
    const again = await manager.post(sending, letter, key)
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body])
    const rest = await Promise.all(Array.from({ length: 6 }, () => manager.post(sending, letter)))
    assert.deepEqual(rest.map(({ status }) => status).sort(), [201, 201, 429, 429, 429, 429])
    const refused = rest.find(({ status }) => status === 429)!
    assert.deepEqual(Object.keys(refused.body), ['error', 'retryAfter'])
    assert.equal(refused.body.error, 'Too Many Requests')
    assert.ok(refused.body.retryAfter > 3_500 && refused.body.retryAfter <= 3_600)
    assert.equal(refused.headers.get('retry-after'), String(refused.body.retryAfter))
    assert.equal((await manager.post(sending, letter, { 'idempotency-key': 'two' })).status, 429)
  })

  test('preferences default to e-mail for everything, are replaced in full, and keep other settings', async () => {
    const first = await owner.get(preferences)
    const { notification_preferences: found } = expectStatus(first, 200)
    assert.deepEqual([found.emails, found.phones, found.locale, found.guests], [[], [], null, true])
    assert.deepEqual(Object.keys(found.kinds), [...notificationKinds])
    for (const kind of notificationKinds) assert.deepEqual(found.kinds[kind], { email: true, sms: false })
    const wanted = {
      ...found,
      emails: ['ops@casa.example', 'Ops@casa.example'],
      phones: ['+351912345678'],
      locale: 'de',
      kinds: { ...found.kinds, 'sync.failed': { email: false, sms: true } },
    }
    const etag = { 'if-match': first.headers.get('etag')! }
    const put = expectStatus(await owner.put(preferences, wanted, etag), 200).notification_preferences
    assert.deepEqual(put, { ...wanted, emails: ['Ops@casa.example'] })
    assert.deepEqual(expectStatus(await owner.get(preferences), 200).notification_preferences, put)
    expectProblem(await owner.put(preferences, wanted, etag), 412, 'precondition-failed')
    const { settings } = expectStatus(
      await owner.get(`/api/v1/organizations/${world.home.id}`),
      200,
    ).organization
    assert.deepEqual([settings.default_currency, settings.notifications.locale], ['eur', 'de'])
    const emptied = expectStatus(await owner.put(preferences, {}), 200).notification_preferences
    assert.deepEqual(emptied, found)
  })

  test('every kind is listed, with a preview in every language and format', async () => {
    const { notification_templates: listed } = expectStatus(
      await owner.get('/api/v1/notification-templates'),
      200,
    )
    assert.deepEqual(
      listed.map(({ kind, never_silent }: Record<string, unknown>) => [kind, never_silent]),
      notificationKinds.map((kind) => [kind, (mandatoryKinds as readonly string[]).includes(kind)]),
    )
    for (const { locales } of listed) assert.deepEqual(locales, ['en', 'de', 'fr', 'es', 'pt'])
    const seen = new Set<string>()
    for (const kind of notificationKinds)
      for (const locale of languages)
        for (const format of ['html', 'text', 'sms']) {
          const at = `/api/v1/notification-templates/preview?kind=${kind}&locale=${locale}&format=${format}`
          const reply = await owner.get(at)
          assert.equal(reply.status, 200, reply.text)
          const type = format === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
          assert.equal(reply.headers.get('content-type'), type)
          assert.match(reply.headers.get('content-security-policy')!, /^sandbox; default-src 'none'/)
          assert.ok(!seen.has(reply.text), `${at} says the same as another`)
          assert.doesNotMatch(reply.text, /undefined|\bnull\b|NaN|\[object/)
          if (format === 'html') assert.match(reply.text, new RegExp(`<html lang="${locale}">`))
          if (format === 'sms') assert.ok(reply.text.length < 400 && !reply.text.includes('\n'))
          seen.add(reply.text)
        }
  })
})

suite('notifications: error', () => {
  test('returns 404 for an unknown id, and 400 for an invalid id, kind or language', async () => {
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
    const preview = '/api/v1/notification-templates/preview'
    expectProblem(await owner.get(preview), 400, 'validation-error', '/kind')
    expectProblem(await owner.get(`${preview}?kind=x`), 400, 'validation-error', '/kind')
    expectProblem(
      await owner.get(`${preview}?kind=sync.failed&locale=xx`),
      400,
      'validation-error',
      '/locale',
    )
  })

  test('notifications of failures cannot be turned off', async () => {
    for (const kind of mandatoryKinds)
      for (const [ways, phones] of [
        [{ email: false, sms: false }, ['+351912345678']],
        [{ email: false, sms: true }, []],
      ] as const)
        expectProblem(
          await owner.put(preferences, { phones, kinds: { [kind]: ways } }),
          422,
          'semantic-error',
          `/kinds/${kind}`,
        )
    for (const body of [
      { emails: ['no address'] },
      { emails: ['a@b.example, c@d.example'] },
      { phones: ['0912345678'] },
      { locale: 'xx' },
      { kinds: { unknown: { email: true, sms: true } } },
      { surprise: 1 },
    ])
      expectProblem(await owner.put(preferences, body), 400, 'validation-error')
  })
})

suite('notifications: security', () => {
  test('nothing can be injected into a test e-mail', async () => {
    for (const to of [
      'a@casa.example\r\nBcc: eve@evil.example',
      'a@casa.example\nCc: eve@evil.example',
      'a@casa.example, eve@evil.example',
      'a@casa.example;eve@evil.example',
      'Ada <a@casa.example>',
      '"eve@evil.example" <a@casa.example>',
      'eve@evil.example(a@casa.example)',
      '<a@casa.example>',
      'a@casa.example b@c.example',
      'a%0d%0a@casa.example',
      'a@casa.example\u2028b@c.example',
      ['a@casa.example'],
      { address: 'a@casa.example' },
    ])
      expectProblem(await owner.post(sending, { ...letter, to }), 400, 'validation-error', '/to')
    for (const subject of [
      'x\r\nBcc: eve@evil.example',
      'x\ny',
      'x\ry',
      'x\u0085y',
      'x\u2028y',
      'x\u202ey',
      ' ',
      '',
    ])
      expectProblem(await owner.post(sending, { ...letter, subject }), 400, 'validation-error', '/subject')
    for (const more of [
      { bcc: 'eve@evil.example' },
      { from: 'a@b.example' },
      { html: '<b>' },
      { headers: {} },
    ])
      expectProblem(await owner.post(sending, { ...letter, ...more }), 400, 'validation-error')
    expectProblem(
      await owner.post(sending, { ...letter, to: 'eve@evil.example' }),
      422,
      'semantic-error',
      '/to',
    )
  })

  test('only owners and admins may send tests or change recipients', async () => {
    for (const role of ['manager', 'staff', 'viewer'] as const) {
      const caller = await world.home.as(role)
      expectProblem(await caller.post(sending, letter), 403, 'forbidden')
      expectProblem(await caller.put(preferences, {}), 403, 'forbidden')
      for (const read of [await caller.get(preferences), await caller.get(path)])
        if (role === 'manager') expectStatus(read, 200)
        else expectProblem(read, 403, 'forbidden')
    }
    expectProblem(await world.caller(null).post(sending, letter), 401, 'unauthorized')
  })

  test('another organization sees nothing', async () => {
    const [ours] = expectStatus(await owner.get(path), 200).notifications
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.get(`${path}/${ours.id}`), 404, 'not-found')
    assert.ok(!(await stranger.get(`${path}?limit=100`)).text.includes(ours.id))
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ConfigError, listSettings, readConfig } from './config.ts'

const required = {
  DATABASE_URL: 'postgres://api:password@db.example/vacancy',
  OIDC_ISSUER: 'https://login.example/',
  OIDC_AUDIENCE: 'https://api.example',
  SECRET_KEYS: `2026a:${Buffer.alloc(32, 1).toString('base64')}`,
}

const faultsOf = (env: Record<string, string>) => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

suite('readConfig', () => {
  test('reports all faults at once, each with the setting and its remedy', () => {
    const faults = faultsOf({
      ...required,
      OIDC_AUDIENCE: ' ',
      PORT: '70000',
      SYNC_SAMPLE_SHARE: '2',
      RATE_LIMITS: '1',
      LOG_LEVEL: 'loud',
      REDIS_URL: 'http://cache.example',
      REDIS_SENTINELS: 'cache-1.example:26379, cache-2.example',
      SMS_ACCOUNT: 'AC1',
      S3_BUCKET: 'media',
      S3_SECRET_KEY: 'secret',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization',
      SECRET_KEYS: `${required.SECRET_KEYS},${required.SECRET_KEYS}`,
    })
    assert.deepEqual(faults.toSorted(), [
      'LOG_LEVEL must be debug, info, warn, error or silent, not "loud".',
      'OIDC_AUDIENCE is missing.',
      'OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs with commas between them, the values percent-encoded.',
      'PORT must be a whole number from 0 to 65535, not "70000".',
      'RATE_LIMITS must be true or false, not "1".',
      'REDIS_SENTINELS must be addresses such as cache-1.example:26379, not "cache-2.example".',
      'REDIS_URL must be an address that begins with redis:// or rediss://.',
      'S3_ACCESS_KEY goes together with S3_SECRET_KEY.',
      'SECRET_KEYS names the same key id twice.',
      'SMS_ACCOUNT goes together with SMS_TOKEN and SMS_FROM.',
      'SYNC_SAMPLE_SHARE must be a number from 0 to 1, not "2".',
    ])
  })

  test('fills in defaults, some of them from other settings', () => {
    const { http, database, telemetry, mail, media, metrics } = readConfig({
      ...required,
      PORT: '8080',
      DATABASE_DIRECT_URL: 'postgres://db.example:5433/vacancy',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example/',
    })
    assert.equal(http.publicUrl, 'http://localhost:8080')
    assert.equal(database.ownerUrl, database.directUrl)
    assert.equal(telemetry.tracesUrl, 'http://collector.example/v1/traces')
    assert.equal(media.quotaBytes, 5_000 * 1_048_576)
    assert.deepEqual([mail, media.bucket, metrics.port], [null, null, null])
    assert.equal(readConfig(required).telemetry.tracesUrl, null)
  })

  test('rejects a user or a password of a URL that cannot be decoded', () => {
    const remedy = 'must have a user and a password that are percent-encoded: %25 stands for %.'
    const url = (protocol: string) => `${protocol}://user:50%off@server.example/`
    assert.deepEqual(
      faultsOf({
        ...required,
        DATABASE_URL: url('postgres'),
        SMTP_URL: url('smtps'),
        REDIS_URL: url('redis'),
      }),
      [`DATABASE_URL ${remedy}`, `REDIS_URL ${remedy}`, `SMTP_URL ${remedy}`],
    )
    assert.deepEqual(faultsOf({ ...required, SMTP_URL: 'smtp://user:50%25off@server.example' }), [])
  })

  test('rejects a sender without an address', () => {
    const faults = (sender: string) =>
      faultsOf({ ...required, SMTP_URL: 'smtp://mail.example', MAIL_FROM: sender })
    for (const sender of [
      'Harbour Stays',
      'Harbour Stays <mail>',
      'mail@harbour.example, ana@harbour.example',
    ])
      assert.deepEqual(faults(sender), [
        `MAIL_FROM must be one line, Name <address> or an address, not "${sender}".`,
      ])
    for (const sender of [
      'mail@harbour.example',
      '"Stays, Lisbon" <mail@harbour.example>',
      'Vacancy <v@localhost>',
    ])
      assert.deepEqual(faults(sender), [])
  })

  test('collects the secrets that were given', () => {
    const { given } = readConfig({ ...required, PMS_WEBHOOK_SECRETS: 'one, two' }).secrets
    assert.deepEqual(
      given.map(({ name, value }) => [name, value]),
      [
        ['DATABASE_URL', 'password'],
        ['SECRET_KEYS', required.SECRET_KEYS],
        ['PMS_WEBHOOK_SECRETS', 'one'],
        ['PMS_WEBHOOK_SECRETS', 'two'],
      ],
    )
  })

  test('freezes the configuration', () => {
    assert.throws(() => Object.assign(readConfig(required).http.timeouts, { idleMs: 1 }), TypeError)
  })
})

test('each default is a value that its setting accepts', () => {
  for (const { variable, default: byDefault = '' } of listSettings())
    if (!String(byDefault).includes('{'))
      assert.deepEqual(
        faultsOf({ ...required, [variable]: String(byDefault) }).filter(
          (fault) => !fault.includes('is missing'),
        ),
        [],
        variable,
      )
})

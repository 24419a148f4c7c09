import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'
import { startMail } from '../../../sandbox/src/mail/server.ts'
import { openBucket } from '#test/bucket.ts'
import { outputOf, runCommand, startCommand } from '#test/run-command.ts'
import { writeToRedis } from './doctor-services.ts'
import { sharedRedis, startRedis } from '#test/own-redis.ts'
import { Redis } from 'ioredis'

const root = resolve(import.meta.dirname, '../../..')
const home = mkdtempSync(join(tmpdir(), 'vacancy-command-'))
after(() => rmSync(home, { recursive: true, force: true }))

suite('the command line', () => {
  test('prints its help', async () => {
    const { code, out } = await outputOf(startCommand(['--help'], { VACANCY_HOME: home }))
    assert.equal(code, 0)
    for (const name of [
      'start',
      'api',
      'worker',
      'migrate',
      'seed',
      'token',
      'org',
      'member',
      'sync',
      'secrets',
      'openapi',
      'doctor',
    ]) {
      assert.match(out, new RegExp(`^  ${name}\\b`, 'm'))
    }
    assert.match(out, /Examples:/)
    assert.match((await vacancy(['member', 'add', '--help'])).out, /--role <role>.*choices: "owner"/s)
  })

  test('ends without a message when its reader stops early', async () => {
    const command = `"${process.execPath}" server/bin/vacancy.ts openapi | head -c 100 >/dev/null; echo "\${PIPESTATUS[0]}"`
    const child = spawn('bash', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const { out, err } = await outputOf(child)
    assert.deepEqual({ out, err }, { out: '141\n', err: '' })
  })

  test('exits with 1 and one sentence when its output cannot be written', async () => {
    const command = `exec "${process.execPath}" server/bin/vacancy.ts openapi >/dev/full`
    const child = spawn('bash', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const { code, err } = await outputOf(child)
    assert.deepEqual([code, err.trim().split('\n').length], [1, 1], err)
  })

  test('exits with 2 on a usage error', async () => {
    for (const args of [
      [],
      ['fly'],
      ['token', '--as', 'king'],
      ['token', '--what'],
      ['worker', 'sync', 'nets'],
      ['org', 'create'],
      ['org', 'create', '--name', 'x', '--currency', 'euros'],
      ['org', 'create', '--name', 'x', '--timezone', 'Mars/Olympus'],
      ['member', 'add', '--org', 'x', '--email', 'nobody', '--role', 'owner'],
    ]) {
      const { code, out } = await vacancy(args)
      assert.equal(code, 2, args.join(' '))
      assert.equal(out, '')
    }
  })

  test('exits with 1 and one sentence when nothing runs', async () => {
    for (const args of [['token'], ['migrate'], ['seed'], ['api'], ['org', 'create', '--name', 'x']]) {
      const { code, out, err } = await vacancy(args)
      assert.equal(code, 1, args.join(' '))
      assert.equal(out, '')
      assert.match(err, /^Nothing runs in .*: start it with npm start.*\.\n$/)
    }
    const asJson = await vacancy(['token', '--json'])
    assert.match((JSON.parse(asJson.err) as { error: string }).error, /^Nothing runs/)
  })

  test('exits with 1 when a worker or the API cannot start', async () => {
    for (const [args, env, message] of [
      [['worker'], { SECRET_KEYS: 'none' }, /SECRET_KEYS must be/],
      [['worker'], {}, /ECONNREFUSED/],
      [['api'], {}, /ECONNREFUSED/],
    ] as const) {
      const { code, err } = await outputOf(startCommand(args, { VACANCY_HOME: home, ...settings, ...env }))
      assert.match(err, message)
      assert.equal(code, 1, args.join(' '))
    }
  })

  test('reports every fault of the configuration before anything is started', async () => {
    const { code, err } = await vacancy(['start'], { PORT: 'many', LOG_LEVEL: 'loud' })
    assert.equal(code, 1)
    assert.match(err, /PORT must be .*\n.*LOG_LEVEL must be/)
    const workers = await vacancy(['start', '--no-single-worker'], { METRICS_PORT: '65534' })
    assert.equal(workers.code, 1)
    assert.match(workers.err, /METRICS_PORT must be at most 65533/)
  })
})

suite('vacancy doctor', () => {
  test('reports each failed check with its remedy', async () => {
    const { code, out } = await vacancy(['doctor', '--json'], {
      ...settings,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      PAYMENTS_URL: 'http://127.0.0.1:1',
      ...{
        S3_BUCKET: 'photos',
        S3_ENDPOINT: 'http://127.0.0.1:1',
        S3_ACCESS_KEY: 'key',
        S3_SECRET_KEY: 'secret',
      },
      SMTP_URL: 'smtp://127.0.0.1:1',
      ...{ SMS_URL: 'http://127.0.0.1:1', SMS_ACCOUNT: 'AC1', SMS_TOKEN: 'token', SMS_FROM: 'Casa' },
    })
    assert.equal(code, 1)
    const { ok, checks } = JSON.parse(out) as {
      ok: boolean
      checks: { name: string; ok: boolean; advice?: string }[]
    }
    assert.equal(ok, false)
    const failed = checks.filter((check) => !check.ok)
    assert.deepEqual(failed.map(({ name }) => name).sort(), [
      ...[
        'Clock',
        'Database',
        'Durability',
        'Files',
        'Identity',
        'Mail',
        'Migrations',
        'Notifications',
        'Payment records',
        'Payments',
        'Queue',
      ],
      ...['Redis', 'SMS', 'Secret age', 'Stored secrets', 'Tenant isolation', 'Time zones', 'Writes'],
    ])
    for (const { name, advice } of failed) assert.ok(advice, name)
  })

  test('stores a file and removes it, and signs in to the mail server and the SMS provider', async () => {
    await using bucket = await openBucket()
    const mail = await startMail()
    const account = { SMS_URL: mail.url, SMS_ACCOUNT: 'AC1', SMS_TOKEN: 'token', SMS_FROM: 'Casa' }
    const env = { ...settings, ...bucket.env, SMTP_URL: mail.smtpUrl, ...account }
    const { out } = await vacancy(['doctor', '--json'], env)
    await mail.close()
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean }[] }
    const passed = checks.filter(({ name, ok }) => ok && ['Files', 'Mail', 'SMS'].includes(name))
    assert.equal(passed.length, 3, out)
  })

  test('reaches a PMS and a payment provider whose addresses end with a slash', async () => {
    const server = createServer(({ url }, response) => {
      response.writeHead(['/health', '/v1/balance'].includes(url!) ? 200 : 404).end('{}')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { out } = await vacancy(['doctor'], { ...settings, GENERIC_PMS_URL: url, PAYMENTS_URL: url })
    server.close()
    assert.match(out, /✓ PMS/)
    assert.match(out, /✓ Payments/)
  })

  test('reports an issuer that differs from its discovery document', async () => {
    const server = createServer((_, response) =>
      response.end('{"issuer":"http://elsewhere","jwks_uri":"http://elsewhere/jwks"}'),
    )
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { out } = await vacancy(['doctor'], { ...settings, OIDC_ISSUER: issuer })
    server.close()
    assert.match(out, /✗ Identity .*names the issuer http:\/\/elsewhere, not /)
    assert.match(out, /→ Check OIDC_ISSUER/)
  })

  test('gives up on a Redis that never responds', async () => {
    const server = createTcpServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
    await assert.rejects(writeToRedis(url, 50), /does not respond/)
    server.close()
  })

  test('reports the error of Redis', async () => {
    const server = createTcpServer((socket) => socket.end('-NOAUTH Authentication required.\r\n')).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((listening) => server.once('listening', listening))
    const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
    await assert.rejects(writeToRedis(url, 1_000), /rejects the command: NOAUTH/)
    server.close()
  })

  if (sharedRedis)
    test('reports a Redis that responds, but has no memory left to count', async () => {
      await using redis = await startRedis()
      await writeToRedis(redis.url, 5_000)
      const operator = new Redis(redis.url)
      try {
        await operator.config('SET', 'maxmemory', '1')
        assert.equal(await operator.ping(), 'PONG')
        await assert.rejects(writeToRedis(redis.url, 5_000), /OOM/)
      } finally {
        operator.disconnect()
      }
    })
})

const settings = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_AUDIENCE: 'x',
  SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
}

const vacancy = (args: string[], env: Record<string, string> = {}) =>
  runCommand(args, { VACANCY_HOME: home, ...env })

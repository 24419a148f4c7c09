import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { InvalidSignature } from '#errors.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { openWorld } from '#test/world.ts'
import { areSecretsEqual } from '#secrets/compare.ts'
import { genericNoticeReader } from '#integrations/pms/generic/bookings.ts'
import { assertSignature } from './verify-signature.ts'

/** Whose messages are accepted: those of senders that know the secret, if there is one. */

const ours = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const previous = 'whsec_cHJldmlvdXMtc2VjcmV0LW9mLW91cnM='
const global = 'whsec_Z2xvYmFsLXNlY3JldC1vZi1hbGwtb2YtaXQ='
const credentials = { webhook_secret: ours, webhook_secret_previous: previous }
const body = JSON.stringify({ id: 'evt', type: 'ping' })

const { world, owner } = shareWorld({ env: { PMS_WEBHOOK_SECRETS: `${global}, plain-text-secret` } })
let pms: TestCaller
let targetId: string
let number = 0

before(async () => {
  pms = world.caller(null)
  targetId = (await addTarget(owner, { config: { credentials } })).id
})

const signed = (
  secret: string,
  text = body,
  { id = `msg_${++number}`, ageSeconds = 0, raw = false } = {},
) => {
  const at = new Date(Date.now() - ageSeconds * 1_000)
  const webhook = raw ? new Webhook(secret, { format: 'raw' }) : new Webhook(secret)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': webhook.sign(id, at, text),
  }
}
const send = (headers: Record<string, string>, text = body, place = `/webhooks/pms/${targetId}`) =>
  pms.send('POST', place, { body: text, headers: { 'content-type': 'application/json', ...headers } })
const taken = async (...sent: Parameters<typeof send>) => expectStatus(await send(...sent), 200)
const refused = async (...sent: Parameters<typeof send>) =>
  expectProblem(await send(...sent), 401, 'invalid-signature')

suite('signatures: Standard Webhooks', () => {
  test('accepts the current and the previous secret, and returns 401 otherwise', async () => {
    await taken(signed(ours))
    await taken(signed(previous))
    await refused({})
    await refused(signed(global))
    await refused(signed('whsec_b3RoZXItc2VjcmV0LW9mLXNvbWVib2R5'))
    const reply = await owner.get(`/api/v1/webhook-messages?channel_target_id=${targetId}`)
    assert.deepEqual(
      expectStatus(reply, 200).webhook_messages.map((one: { signed: boolean }) => one.signed),
      [true, true],
    )
  })

  test('accepts one valid version 1 signature among several', async () => {
    const { 'webhook-signature': right, ...rest } = signed(ours)
    await taken({ ...rest, 'webhook-signature': `v1,AAAA v1a,BBBB ${right}` })
    await refused({ ...rest, 'webhook-signature': right.replace('v1,', 'v1a,') })
    await refused({ ...rest, 'webhook-signature': '' })
  })

  test('accepts timestamps up to five minutes off, in both directions', async () => {
    await taken(signed(ours, body, { ageSeconds: 290 }))
    await taken(signed(ours, body, { ageSeconds: -290 }))
    await refused(signed(ours, body, { ageSeconds: 305 }))
    await refused(signed(ours, body, { ageSeconds: -305 }))
    await refused({ ...signed(ours), 'webhook-timestamp': 'soon' })
  })

  test('covers the id, the timestamp and the bytes as received', async () => {
    await refused({ ...signed(ours), 'webhook-id': 'msg_other' })
    await refused(signed(ours), JSON.stringify(JSON.parse(body), null, 1))
    await refused(signed(ours), body.replace('ping', 'pong'))
    const odd = '{ "id": "evt2", "type":"ping", "name":"Zoë \\u00e9" }'
    await taken(signed(ours, odd), odd)
  })

  test('stores nothing of a rejected message', async () => {
    const before = (await owner.get('/api/v1/webhook-messages?limit=100')).text
    await refused(signed(global))
    assert.equal((await owner.get('/api/v1/webhook-messages?limit=100')).text, before)
  })

  test('uses the secrets of the installation, as base64 or text, for a target without one', async () => {
    const { id } = await addTarget(owner)
    const place = `/webhooks/pms/${id}`
    await taken(signed(global), body, place)
    await taken(signed('plain-text-secret', body, { raw: true }), body, place)
    await refused(signed(ours), body, place)
    await refused({}, body, place)
    await refused({}, body, '/webhooks/pms')
    await taken(signed(global), body, '/webhooks/pms')
  })
})

suite('signatures: providers', () => {
  const base = { base_url: 'http://127.0.0.1:9', property_ref: 'P-9' }
  const secrets = { api_key: 'key', webhook_secret: 'now', webhook_secret_previous: 'before' }

  test('accepts the secret of Channex in the registered header', async () => {
    const { id } = await addTarget(owner, { config: { ...base, provider: 'channex', credentials: secrets } })
    const place = `/webhooks/pms/${id}`
    await taken({ 'x-vacancy-token': 'now' }, body, place)
    await taken({ 'x-vacancy-token': 'before' }, body, place)
    for (const token of ['', 'no', 'nowx', 'now,now'])
      await refused({ 'x-vacancy-token': token }, body, place)
    await refused({}, body, place)
  })

  test('accepts the secret of Hostaway as the password of basic authentication', async () => {
    const { id } = await addTarget(owner, {
      config: { ...base, provider: 'hostaway', credentials: { ...secrets, account_id: '7' } },
    })
    const place = `/webhooks/pms/${id}`
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    await taken(basic('vacancy:now'), body, place)
    await taken(basic('vacancy:before'), body, place)
    for (const pair of ['vacancy:no', 'now', ':', 'now:']) await refused(basic(pair), body, place)
    await refused({ authorization: 'Bearer now' }, body, place)
  })

  test('lets a provider verify a signature of the bytes as received', () => {
    const signatureOf = (secret: string, bytes: Buffer) =>
      createHmac('sha256', secret).update(bytes).digest('hex')
    const reader = {
      ...genericNoticeReader,
      verify: (headers: Record<string, unknown>, secret: string, bytes: Buffer) =>
        areSecretsEqual(String(headers['x-signature']), signatureOf(secret, bytes)),
    }
    const verify = (bytes: Buffer, secret: string) =>
      assertSignature(
        bytes,
        { 'x-signature': signatureOf(secret, Buffer.from(body)) },
        ['now', 'before'],
        reader,
      )
    for (const secret of ['now', 'before']) verify(Buffer.from(body), secret)
    assert.throws(() => verify(Buffer.from(`${body} `), 'now'), InvalidSignature)
    assert.throws(() => verify(Buffer.from(body), 'other'), InvalidSignature)
  })
})

suite('signatures: the secret of a target', () => {
  const put = async (id: string, config: object) =>
    expectStatus(
      await owner.put(`/api/v1/channel-targets/${id}`, { channel_type: 'pms', name: 'T', config }),
      200,
    ).channel_target.config.credentials

  test('is never returned, and rotates without a change of the PMS key', async () => {
    const mask = '********'
    const { id, config } = await addTarget(owner, {
      config: { credentials: { api_key: 'key', webhook_secret: ours } },
    })
    const place = `/webhooks/pms/${id}`
    assert.deepEqual(config.credentials, { api_key: mask, webhook_secret: mask })
    const next = { api_key: mask, webhook_secret: previous, webhook_secret_previous: ours }
    assert.deepEqual(await put(id, { credentials: next }), {
      api_key: mask,
      webhook_secret: mask,
      webhook_secret_previous: mask,
    })
    for (const secret of [ours, previous]) await taken(signed(secret), body, place)
    await put(id, {
      credentials: { api_key: mask, webhook_secret: mask, webhook_secret_previous: 'whsec_eA==' },
    })
    await taken(signed(previous), body, place)
    await refused(signed(ours), body, place)
    const moved = {
      channel_type: 'pms',
      name: 'T',
      config: { credentials: next, base_url: 'http://127.0.0.1:9' },
    }
    expectProblem(
      await owner.put(`/api/v1/channel-targets/${id}`, moved),
      422,
      'semantic-error',
      '/config/credentials',
    )
  })
})

suite('signatures: where unsigned messages are not accepted', () => {
  test('rejects unsigned messages, and accepts signed ones', async () => {
    await using strict = await openWorld({ env: { PMS_WEBHOOK_ALLOW_UNSIGNED: 'false' } })
    const caller = await strict.home.as('owner')
    const [open, closed] = [await addTarget(caller), await addTarget(caller, { config: { credentials } })]
    const post = (id: string, headers = {}) =>
      strict.caller(null).send('POST', `/webhooks/pms/${id}`, {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    expectProblem(await post(open.id), 401, 'invalid-signature')
    expectProblem(await post('nobody'), 401, 'invalid-signature')
    expectStatus(await post(closed.id, signed(ours)), 200)
  })
})

import assert from 'node:assert/strict'
import { sql } from '#db/sql.ts'
import { after, before, suite, test } from 'node:test'
import type { Reply, TestCaller } from '../caller.ts'
import { expectProblem, expectStatus } from '../expect.ts'
import { operations, resolveSchema } from '../operations.ts'
import { addSpace, addTarget, addUnit } from '../records.ts'
import { addMedia } from '../uploads.ts'
import { openReceiver, type Receiver } from '../webhook-receiver.ts'
import { openWorld, type World } from '../world.ts'

// Every operation that takes an address refuses internal addresses in every notation.

let world: World
let owner: TestCaller
let inside: Receiver
let unitId: string

before(async () => {
  inside = await openReceiver()
  world = await openWorld({ workers: true, env: { ALLOW_PRIVATE_ADDRESSES: 'false' } })
  owner = await world.home.as('owner')
  unitId = (await addUnit(owner)).id
  await openEntrances()
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await inside.close()
})

const hosts = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1'],
  ...['0177.0.0.1', '0', '0.0.0.0', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ', 'api.localhost', 'pms.internal', 'pms'],
  ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[fe80::1]', '[fd00:ec2::254]', '[2002:7f00:1::]', '10.0.0.1', '172.16.0.1', '192.168.0.1'],
  ...['100.64.0.1', '169.254.169.254', '0xa9fea9fe', '[::ffff:169.254.169.254]', 'metadata.google.internal'],
]
const oddAddresses = [
  'https://me:pw@pms.example/',
  'https://pms.example@127.0.0.1/',
  'https://127.0.0.1\\@pms.example/',
  'https://pms.example:22/',
  'https://pms.example:25/',
  'http://pms.example/',
  'ftp://pms.example/',
  'file:///etc/passwd',
  'gopher://pms.example/',
  'javascript:alert(1)',
  'data:text/calendar,x',
  '//pms.example/',
]

interface Entrance {
  readonly pointer: string
  send(address: string): Promise<Reply>
}

const target = (address: string, provider: string) => ({
  channel_type: 'pms',
  name: 'Inside',
  status: 'inactive',
  config: {
    provider,
    base_url: address,
    ...(provider === 'channex' && { property_ref: 'x', credentials: { api_key: 'k' } }),
    ...(provider === 'hostaway' && { credentials: { account_id: '1', api_key: 'k' } }),
  },
})
const endpoint = (url: string) => ({ url, event_types: ['*'] })
const feed = (url: string) => ({ direction: 'import', name: 'Inside', unit_id: unitId, url })

const entrances: Record<string, Entrance> = {}
async function openEntrances(): Promise<void> {
  for (const provider of ['generic', 'channex', 'hostaway'])
    entrances[`POST /api/v1/channel-targets, ${provider}`] = {
      pointer: '/config/base_url',
      send: (address) => owner.post('/api/v1/channel-targets', target(address, provider)),
    }
  entrances['POST /api/v1/channel-targets/checks'] = {
    pointer: '/config/base_url',
    send: (address) =>
      owner.post('/api/v1/channel-targets/checks', { config: target(address, 'generic').config }),
  }
  const { id } = await addTarget(owner, { status: 'inactive' })
  entrances['PUT /api/v1/channel-targets/{id}'] = {
    pointer: '/config/base_url',
    send: (address) => owner.put(`/api/v1/channel-targets/${id}`, target(address, 'generic')),
  }
  const endpoints = '/api/v1/webhook-endpoints'
  entrances['POST /api/v1/webhook-endpoints'] = {
    pointer: '/url',
    send: (address) => owner.post(endpoints, endpoint(address)),
  }
  const { webhook_endpoint } = expectStatus(
    await owner.post(endpoints, endpoint('https://partner.example/')),
    201,
  )
  for (const method of ['put', 'patch'] as const)
    entrances[`${method.toUpperCase()} /api/v1/webhook-endpoints/{id}`] = {
      pointer: '/url',
      send: (address) => owner[method](`${endpoints}/${webhook_endpoint.id}`, endpoint(address)),
    }
  entrances['POST /api/v1/calendar-feeds'] = {
    pointer: '/url',
    send: (address) => owner.post('/api/v1/calendar-feeds', feed(address)),
  }
  const { calendar_feed } = expectStatus(
    await owner.post('/api/v1/calendar-feeds', feed('https://cal.example/x.ics')),
    201,
  )
  entrances['PATCH /api/v1/calendar-feeds/{id}'] = {
    pointer: '/url',
    send: (url) => owner.patch(`/api/v1/calendar-feeds/${calendar_feed.id}`, { url }),
  }
  entrances['POST /api/v1/calendar-feeds, webcal'] = {
    pointer: '/url',
    send: (address) => owner.post('/api/v1/calendar-feeds', feed(address.replace(/^https:/, 'webcal:'))),
  }
}

suite('addresses entered by operators', () => {
  test('are rejected in every operation when they are private', async () => {
    for (const [name, { send, pointer }] of Object.entries(entrances))
      for (const host of hosts) {
        const reply = await send(`https://${host}:8443/x`)
        // What the form of an address excludes is refused before anybody asks where it leads.
        assert.ok([400, 422].includes(reply.status), `${name}, ${host}: ${reply.status} ${reply.text}`)
        expectProblem(
          reply,
          reply.status,
          reply.status === 400 ? 'validation-error' : 'semantic-error',
          pointer,
        )
      }
  })

  test('are rejected when they are no web addresses, without being repeated', async () => {
    for (const [name, { send, pointer }] of Object.entries(entrances))
      for (const address of oddAddresses) {
        const reply = await send(address)
        assert.ok([400, 422].includes(reply.status), `${name}, ${address}: ${reply.status} ${reply.text}`)
        expectProblem(
          reply,
          reply.status,
          reply.status === 400 ? 'validation-error' : 'semantic-error',
          pointer,
        )
        assert.ok(!reply.text.includes('me:pw'), reply.text)
      }
  })

  test('no other operation accepts addresses', async () => {
    const named = operations
      .filter(({ body }) => body && holdsAddress(body))
      .map(({ method, path }) => `${method} ${path}`)
    const known = new Set(Object.keys(entrances).map((name) => name.split(',')[0]))
    const others = named.filter((name) => !known.has(name)).sort()
    assert.deepEqual(others, ['PATCH /api/v1/media/{id}'])
    const media = await addMedia(owner, (await addSpace(owner)).id)
    const at = `/api/v1/media/${media.id}`
    const reply = await owner.patch(at, { url: 'https://127.0.0.1:8443/x' })
    assert.ok([200, 400].includes(reply.status), reply.text)
    assert.equal(expectStatus(await owner.get(at), 200).media.url, media.url)
  })

  test('a private address in the database is not called', async () => {
    const outside = { ...target('https://pms.example:8443/v1', 'generic'), status: 'active' }
    const { channel_target } = expectStatus(await owner.post('/api/v1/channel-targets', outside), 201)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update channel_targets set config = jsonb_set(config, '{base_url}', to_jsonb(${`${inside.url}/pms`}::text))
        where id = ${channel_target.id}`,
    ])
    const reply = await owner.get(`/api/v1/channel-targets/${channel_target.id}/offers`)
    assert.ok(reply.status >= 400, reply.text)
    await world.settled()
    assert.deepEqual(inside.received, [])
  })
})

function holdsAddress(schema: object): boolean {
  const {
    properties = {},
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = resolveSchema(schema as never) as {
    properties?: Record<string, object>
    anyOf?: object[]
    oneOf?: object[]
    allOf?: object[]
  }
  return (
    Object.entries(properties).some(([name, inner]) => /(^|_)url$/.test(name) || holdsAddress(inner)) ||
    [...anyOf, ...oneOf, ...allOf].some(holdsAddress)
  )
}

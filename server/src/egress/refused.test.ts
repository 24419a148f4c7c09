import assert from 'node:assert/strict'
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { EgressRefused, openEgress } from './egress.ts'

/** A service of this machine that no request may reach. */
let canary: Server
let port: number
let visits = 0

before(async () => {
  canary = createServer((_, reply) => (visits++, reply.end('secret'))).listen(0, '127.0.0.1')
  await new Promise((resolve) => canary.once('listening', resolve))
  port = (canary.address() as AddressInfo).port
})
after(() => {
  canary.close()
  canary.closeAllConnections()
})

const resolveTo =
  (...addresses: LookupAddress[]): LookupFunction =>
  (_, __, callback) =>
    callback(null, addresses)
const unresolvable: LookupFunction = (name, _, callback) => callback(new Error(`no address of ${name}`), [])
const loopback = { address: '127.0.0.1', family: 4 }
const publicAddress = { address: '93.184.215.14', family: 4 }
const publicOnly = { allowsPrivate: false, allowsHttp: true }

async function assertRefused(address: string, lookup = unresolvable, reason: RegExp | undefined = undefined) {
  const egress = openEgress({ ...publicOnly, lookup })
  const before = visits
  try {
    const failure = await egress.request(address, { method: 'GET' }).then(
      ({ text }) => assert.fail(`${address} responded ${text}`),
      (error: unknown) => error,
    )
    assert.ok(failure instanceof EgressRefused, String(failure))
    if (reason) assert.match(failure.message, reason)
    assert.equal(visits, before, 'the service was reached')
  } finally {
    await egress.close()
  }
}

const loopbackSpellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0',
  '0.0.0.0',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  'localhost',
  'LOCALHOST',
  'ｌｏｃａｌｈｏｓｔ',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
]

suite('private addresses are refused in any notation', () => {
  const unrestricted = openEgress({ allowsPrivate: true, allowsHttp: true })
  after(() => unrestricted.close())

  for (const host of loopbackSpellings)
    test(`${host} reaches this machine without the check, and is refused`, async () => {
      const address = `http://${host}:${port}/`
      assert.equal(
        (await unrestricted.request(address, { method: 'GET' })).text,
        'secret',
        'without the check it is reached',
      )
      await assertRefused(address, resolve, /private network/)
      assert.match(openEgress(publicOnly).addressProblem(address) ?? '', /private network/)
    })

  const others = [
    '127.255.255.254',
    'localhost.',
    'api.localhost',
    'pms.local',
    'metadata.google.internal',
    'router.home.arpa',
    'pms',
    '[::]',
    '[::1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
    '[5f00::1]',
    '[4000::1]',
    '[::ffff:169.254.169.254]',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ]
  for (const host of others)
    test(`${host} is refused`, () =>
      assertRefused(`http://${host}:${port}/`, unresolvable, /private network/))
})

suite('URLs that are not of a web service are refused', () => {
  const addresses = [
    'http://pms.example@127.0.0.1:PORT/',
    'http://pms.example:443@127.0.0.1:PORT/',
    'http://127.0.0.1:PORT@pms.example/',
    'http://127.0.0.1:PORT\\@pms.example/',
    'http:\\\\127.0.0.1:PORT',
    'http:127.0.0.1:PORT',
    ' http://127.0.0.1:PORT/ ',
    'ht\ntp://127.0.0.1:PORT/',
    'ftp://127.0.0.1:PORT/',
    'ws://127.0.0.1:PORT/',
    '//127.0.0.1:PORT/',
    'file:///etc/hostname',
    'data:text/plain,secret',
    'http://256.0.0.1/',
    'http://',
    '',
    'https://pms.example:25/',
    'https://pms.example:22/',
  ]
  for (const address of addresses)
    test(`${JSON.stringify(address)} is refused`, () => assertRefused(address.replace('PORT', String(port))))

  test('http:// is refused where it is not allowed', async () => {
    const egress = openEgress({ allowsPrivate: true, allowsHttp: false })
    assert.match(egress.addressProblem(`http://127.0.0.1:${port}`) ?? '', /https/)
    await assert.rejects(egress.request(`http://127.0.0.1:${port}`, { method: 'GET' }), EgressRefused)
    await egress.close()
  })

  test('ordinary addresses of web services are allowed', () => {
    const egress = openEgress({ allowsPrivate: false, allowsHttp: false })
    const allowed = [
      'https://pms.example',
      'https://pms.example:8443/v1?a=b',
      'https://8.8.8.8',
      'https://[2606:4700::1111]',
    ]
    for (const address of allowed) assert.equal(egress.addressProblem(address), null, address)
  })
})

suite('names that resolve to a private address are refused', () => {
  const address = () => `http://pms.example:${port}/`

  test('by its only address', () => assertRefused(address(), resolveTo(loopback), /private network/))
  test('by one of its addresses', () => assertRefused(address(), resolveTo(publicAddress, loopback)))
  test('by an IPv6 address', () => assertRefused(address(), resolveTo({ address: '::1', family: 6 })))
  test('by an address with a zone', () =>
    assertRefused(address(), resolveTo({ address: 'fe80::1%lo', family: 6 })))
  test('by text that is not an address', () =>
    assertRefused(address(), resolveTo({ address: 'x', family: 4 })))
  test('by the system resolver', () =>
    assertRefused(address(), (_, options, callback) =>
      resolve('localhost', options as object, callback as never),
    ))

  test('after the lookup was checked: the address of the connected socket is checked too', async () => {
    let reads = 0
    const changingAddress = {
      family: 4,
      get address() {
        return reads++ === 0 ? publicAddress.address : loopback.address
      },
    }
    await assertRefused(address(), resolveTo(changingAddress), /private network/)
    assert.ok(reads > 1, 'the connection went elsewhere')
  })

  test('only at the second call: each connection is checked', async () => {
    let lookups = 0
    const lookup: LookupFunction = (name, options, callback) =>
      (lookups++ === 0 ? unresolvable : resolveTo(loopback))(name, options, callback)
    const egress = openEgress({ ...publicOnly, lookup })
    assert.equal(egress.addressProblem(address()), null)
    await assert.rejects(egress.request(address(), { method: 'GET' }), /no address/)
    await assert.rejects(egress.request(address(), { method: 'GET' }), EgressRefused)
    assert.equal(lookups, 2)
    await egress.close()
  })
})

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { EgressRefused, openEgress } from './egress.ts'

/** Link-local addresses and cloud metadata services are never called, also where private addresses are allowed. */
let server: Server
let port: number

before(async () => {
  server = createServer((_, reply) => reply.end('hello')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  port = (server.address() as AddressInfo).port
})
after(() => {
  server.close()
  server.closeAllConnections()
})

const privateAllowed = { allowsPrivate: true, allowsHttp: true }
const resolveTo =
  (...addresses: string[]): LookupFunction =>
  (_, __, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

const forbidden = [
  '169.254.169.254',
  '169.254.169.254.',
  '169.254.0.1',
  '169.254.170.2',
  '169.254.255.255',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.16689662',
  '１６９.２５４.１６９.２５４',
  '169。254。169。254',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[::ffff:0:169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[64:ff9b:1:a9fe:a9:fe00::]',
  '[2002:a9fe:a9fe::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:a9fe:a9fe::]',
  '[2001::5601:5601]',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[febf::1]',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[fd00:42::42]',
  '[fd00:c1::a9fe:a9fe]',
  '100.100.100.200',
  '[::ffff:100.100.100.200]',
  '[64:ff9b::6464:64c8]',
  '[2002:6464:64c8::]',
  '192.0.0.192',
  '192.0.0.170',
  '168.63.129.16',
  '[::ffff:168.63.129.16]',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '[ff02::1]',
]

suite('link-local and metadata addresses are rejected where private ones are allowed', () => {
  const egress = openEgress(privateAllowed)
  after(() => egress.close())

  for (const host of forbidden)
    test(`${host} is rejected when it is stored and when it is called`, async () => {
      assert.ok(egress.addressProblem(`http://${host}/latest/meta-data/`), 'it can be stored')
      await assert.rejects(
        egress.request(`http://${host}/latest/meta-data/`, { method: 'GET' }),
        EgressRefused,
      )
      assert.ok(openEgress({ allowsPrivate: false, allowsHttp: true }).addressProblem(`http://${host}/`))
    })

  test('private addresses are allowed', () => {
    const allowed = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.10',
      '100.64.0.1',
      'pms',
    ]
    for (const host of [
      ...allowed,
      '[fd12:3456::1]',
      '[64:ff9b::808:808]',
      '169.253.1.1',
      '169.255.1.1',
      '8.8.8.8',
    ])
      assert.equal(egress.addressProblem(`http://${host}:8080/`), null, host)
  })
})

suite('names that resolve to a forbidden address are rejected', () => {
  const cases: [string, string[]][] = [
    ['by its only address', ['169.254.169.254']],
    ['by one of its addresses', ['127.0.0.1', '169.254.169.254']],
    ['by the last of its addresses', ['10.0.0.1', '127.0.0.1', 'fe80::1']],
    ['by an IPv6 address', ['fd00:ec2::254']],
    ['by an address with a zone', ['fe80::1%lo']],
    ['by an IPv4-mapped address', ['::ffff:169.254.169.254']],
    ['by text that is not an address', ['x']],
  ]
  for (const [name, addresses] of cases)
    test(name, async () => {
      const egress = openEgress({ ...privateAllowed, lookup: resolveTo(...addresses) })
      await assert.rejects(egress.request(`http://pms.example:${port}/`, { method: 'GET' }), EgressRefused)
      await egress.close()
    })

  test('a name that resolves to this machine is called', async () => {
    const egress = openEgress({ ...privateAllowed, lookup: resolveTo('127.0.0.1') })
    assert.equal((await egress.request(`http://pms.example:${port}/`, { method: 'GET' })).text, 'hello')
    await egress.close()
  })
})

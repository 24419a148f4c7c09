import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { type LookupAddress, lookup as lookupBySystem } from 'node:dns'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { dnsLookup } from './dns-lookup.ts'

const typeA = 1
const typeAaaa = 28

suite('lookups in the DNS', () => {
  let server: Socket
  let look: (name: string) => Promise<LookupAddress[]>
  /** Resolves with each name that is not answered, once for its address of IPv4. */
  let asked: (name: string) => void

  before(async () => {
    server = createSocket('udp4').bind(0, '127.0.0.1')
    server.on('message', (question, { port, address }) => {
      const { name, type, end } = parseQuestion(question)
      if (name.startsWith('hangs')) return asked(name)
      server.send(answer(question, end, addressOf(name, type)), port, address)
    })
    await once(server, 'listening')
    const lookup = dnsLookup([`127.0.0.1:${server.address().port}`])
    look = (name) =>
      new Promise((resolve, reject) =>
        lookup(name, { all: true }, (error, found) =>
          error ? reject(error) : resolve(found as unknown as LookupAddress[]),
        ),
      )
  })
  after(() => server.close())

  test('return the addresses of both families, or those of the only one', async () => {
    const [four, six] = [
      { address: '198.51.100.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]
    assert.deepEqual(await look('both.example'), [four, six])
    assert.deepEqual(await look('four.example'), [four])
    assert.deepEqual(await look('six.example'), [six])
    await assert.rejects(look('none.example'), { code: 'ENODATA' })
  })

  test('of names whose servers do not answer end by themselves, and delay no other', async () => {
    const names = new Set(Array.from({ length: 8 }, (_, n) => `hangs${n}.example`))
    const allAsked = new Promise<void>((resolve) => {
      asked = (name) => void (names.delete(name) && names.size === 0 && resolve())
    })
    let ended = 0
    const hanging = [...names].map((name) => assert.rejects(look(name).finally(() => ended++)))
    await allAsked
    await look('both.example')
    await new Promise((resolve) => lookupBySystem('localhost', resolve))
    assert.equal(ended, 0)
    await Promise.all(hanging)
  })
})

function parseQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function addressOf(name: string, type: number): number[] | null {
  if (type === typeA && /^(both|four)/.test(name)) return [198, 51, 100, 7]
  if (type === typeAaaa && /^(both|six)/.test(name))
    return [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 7]
  return null
}

/** The question, with one record or none. */
function answer(question: Buffer, end: number, address: number[] | null): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x81_80, 2)
  header.writeUInt16BE(address ? 1 : 0, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  const type = address?.length === 4 ? typeA : typeAaaa
  // Its name is that of the question; class IN, kept for no time.
  const record = address ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address] : []
  return Buffer.concat([header, question.subarray(12, end), Buffer.from(record)])
}

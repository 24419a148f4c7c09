import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { ResponseTooLarge } from './response.ts'
import { openEgress, type Egress } from './egress.ts'

let server: Server
let url: string
let egress: Egress
let connections = 0
let respond: RequestListener

before(async () => {
  server = createServer((request, reply) => respond(request, reply)).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  egress = openEgress({ allowsPrivate: true, allowsHttp: true })
})
beforeEach(() => (connections = 0))
after(async () => {
  await egress.close()
  server.close()
  server.closeAllConnections()
})

type Echo = { method: string; path: string; headers: Record<string, string>; text: string }

const echo: RequestListener = (request, reply) => {
  let text = ''
  request.setEncoding('utf8').on('data', (part: string) => (text += part))
  request.on('end', () => {
    const { method, url: path, headers } = request
    reply.writeHead(201, { 'x-twice': ['a', 'b'] }).end(JSON.stringify({ method, path, headers, text }))
  })
}

suite('egress requests', () => {
  test('send the given method, headers and body, and return the response', async () => {
    respond = echo
    const reply = await egress.request(`${url}/a%2Fb/?c=d#e`, {
      method: 'PATCH',
      headers: { 'x-our': 'header' },
      body: 'né',
    })
    assert.equal(reply.status, 201)
    assert.deepEqual(reply.headers['x-twice'], ['a', 'b'])
    const { method, path, headers, text } = JSON.parse(reply.text) as Echo
    assert.deepEqual([method, path, headers['x-our'], text], ['PATCH', '/a%2Fb/?c=d', 'header', 'né'])
  })

  test('send bytes unchanged and decode characters that are split across chunks', async () => {
    const [first, second] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)]
    respond = (request, reply) => {
      request.resume().on('end', () => {
        reply.write(first)
        setImmediate(() => reply.end(second))
      })
    }
    const body = new Uint8Array([0, 255])
    assert.equal((await egress.request(url, { method: 'POST', body })).text, 'né')
  })

  test('ignore early hints and return the final response', async () => {
    respond = (_, reply) => reply.writeEarlyHints({ link: '</x>; rel=preload' }, () => reply.end('then'))
    const reply = await egress.request(url, { method: 'GET' })
    assert.deepEqual([reply.status, reply.text], [200, 'then'])
  })

  test('do not follow redirects', async () => {
    let visits = 0
    respond = ({ url: path }, reply) => {
      if (path === '/secret') visits++
      reply.writeHead(307, { location: `${url}/secret` }).end()
    }
    assert.equal((await egress.request(url, { method: 'POST', body: 'x' })).status, 307)
    assert.equal(visits, 0)
  })

  test('reuse connections and open at most 64', async () => {
    respond = echo
    for (let call = 0; call < 20; call++) await egress.request(`${url}/${call}`, { method: 'GET' })
    assert.ok(connections <= 1, `${connections} connections for calls one after the other`)
    await Promise.all(Array.from({ length: 300 }, () => egress.request(url, { method: 'GET' })))
    assert.ok(connections <= 64, `${connections} connections for calls at once`)
  })
})

suite('responses that are too large', () => {
  const reads = (maxBytes?: number) =>
    egress.request(url, { method: 'GET', ...(maxBytes !== undefined && { maxBytes }) })

  test('are rejected by their Content-Length before the body is read', async () => {
    respond = (_, reply) => reply.writeHead(200, { 'content-length': '1048577' }).write('x')
    await assert.rejects(reads(), ResponseTooLarge)
  })

  test('are read up to the limit, and their connection is closed', async () => {
    const closed = Promise.withResolvers<void>()
    respond = (request, reply) => {
      request.socket.once('close', closed.resolve)
      const more = () => void (reply.destroyed || reply.write('x'.repeat(65_536), more))
      more()
    }
    await assert.rejects(reads(), ResponseTooLarge)
    await closed.promise
  })

  test('may be larger when the caller sets a higher limit', async () => {
    respond = (_, reply) => reply.end('x'.repeat(2_000_000))
    await assert.rejects(reads(), ResponseTooLarge)
    await assert.rejects(reads(1_999_999), ResponseTooLarge)
    assert.equal((await reads(2_000_000)).text.length, 2_000_000)
  })
})

suite('aborted requests', () => {
  test('reject with the reason and close the connection', async () => {
    const begun = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    respond = (request) => {
      request.socket.once('close', closed.resolve)
      begun.resolve()
    }
    const stop = new AbortController()
    const call = egress.request(url, { method: 'GET', signal: stop.signal })
    await begun.promise
    stop.abort(new Error('enough'))
    await assert.rejects(call, /^Error: enough$/)
    await closed.promise
  })

  test('reject in the middle of a response', async () => {
    respond = (_, reply) => reply.write('{')
    const stop = new AbortController()
    const call = egress.request(url, { method: 'GET', signal: stop.signal })
    setTimeout(() => stop.abort('enough'), 20)
    await assert.rejects(call, /enough/)
  })

  test('send nothing when the signal was aborted before', async () => {
    let visits = 0
    respond = (_, reply) => (visits++, reply.end())
    const signal = AbortSignal.abort(new Error('no'))
    await assert.rejects(egress.request(url, { method: 'GET', signal }), /no/)
    await egress.request(url, { method: 'GET' })
    assert.equal(visits, 1)
  })

  test('leave the queue for a connection', async () => {
    const waiting: (() => void)[] = []
    respond = (_, reply) => waiting.push(() => reply.end())
    const busy = Array.from({ length: 64 }, () => egress.request(url, { method: 'GET' }))
    const stop = new AbortController()
    const call = egress.request(`${url}/late`, { method: 'GET', signal: stop.signal })
    stop.abort(new Error('enough'))
    await assert.rejects(call, /enough/)
    while (waiting.length < 64) await new Promise(setImmediate)
    const paths: string[] = []
    respond = ({ url: path }, reply) => (paths.push(path!), reply.end())
    for (const free of waiting) free()
    await Promise.all(busy)
    await egress.request(`${url}/next`, { method: 'GET' })
    assert.deepEqual(paths, ['/next'])
  })

  test('reject when the server hangs up or is unreachable', async () => {
    respond = (request) => request.socket.destroy()
    await assert.rejects(egress.request(url, { method: 'GET' }))
    await assert.rejects(egress.request('http://127.0.0.1:1/', { method: 'GET' }), /ECONNREFUSED/)
  })

  test('reject when egress is closed', async () => {
    const begun = Promise.withResolvers<void>()
    respond = () => begun.resolve()
    const own = openEgress({ allowsPrivate: true, allowsHttp: true })
    const call = own.request(url, { method: 'GET' })
    await begun.promise
    await Promise.all([assert.rejects(call), own.close()])
  })
})

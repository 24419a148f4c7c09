import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Malformed } from '#errors.ts'
import { kindOf } from './catalogue.ts'
import { problemDocument } from './problems.ts'

/** Of two of these a proxy before us may have believed the other one. */
const single = new Set(['host', 'content-type', 'content-length', 'transfer-encoding', 'authorization'])

/** Refuses requests that can be read in two ways. */
export function refuseOddRequests(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const fault = faultOf(raw)
    if (!fault) return done()
    // Whatever follows on this connection may be a part of the same deceit.
    void reply.header('connection', 'close')
    done(new Malformed('bad-request', fault))
  })
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const id = randomUUID()
    const detail = 'Only 100-continue can be expected.'
    response
      .writeHead(kindOf('expectation-failed').status, {
        'content-type': 'application/problem+json',
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
        connection: 'close',
      })
      .end(problemDocument(publicUrl, id, { code: 'expectation-failed', detail }))
  })
}

function faultOf({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage): string | null {
  // The parser takes any version, and a first line without one.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'This is spoken to with HTTP/1.1.'
  if (!/^(\/|https?:\/\/)/i.test(url)) return 'The address must begin with a slash.'
  if (headers.host === undefined && httpVersion === '1.1') return 'The header Host is missing.'
  const transfer = headers['transfer-encoding']
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    return 'Transfer-Encoding can only be chunked.'
  const twice = repeated(rawHeaders)
  return twice && `There is more than one ${twice}.`
}

function repeated(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!single.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

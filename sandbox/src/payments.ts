import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answer } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'

/** A payment provider that speaks as Stripe does; its ledger is empty. */
export async function startPayments(address: Address = {}) {
  const server = createServer((req, res) => {
    res.setHeader('request-id', `req_${randomUUID()}`)
    res.setHeader('x-request-id', randomUUID())
    serve(req, res)
    req.resume()
  })
  return { url: await listen(server, address), close: () => stopListening(server) }
}

function serve(req: IncomingMessage, res: ServerResponse) {
  const asked = `${req.method} ${req.url?.split('?', 1)[0]}`
  if (asked === 'GET /health') return answer(res, 200, { status: 'ok' })
  if (!/^bearer +sk_test_\S+$/i.test(req.headers.authorization ?? '')) {
    return refuse(res, 401, 'Invalid API key provided: a key begins with sk_test_.')
  }
  if (asked === 'GET /v1/balance') return answer(res, 200, emptyLedger)
  refuse(res, 404, `Unrecognized request URL (${asked}).`)
}

function refuse(res: ServerResponse, status: number, message: string) {
  answer(res, status, { error: { type: 'invalid_request_error', message } })
}

const emptyLedger = {
  object: 'balance',
  available: [{ amount: 0, currency: 'usd', source_types: { card: 0 } }],
  livemode: false,
  pending: [{ amount: 0, currency: 'usd', source_types: { card: 0 } }],
}

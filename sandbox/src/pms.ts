import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer, answerRefusal, receive, Refusal } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'
import { openCalls, type Call } from './pms/calls.ts'
import { control } from './pms/control.ts'
import { openFaults, retryAfter, type Strike } from './pms/faults.ts'
import { readPath, reply } from './pms/routes.ts'
import { openStore } from './pms/store.ts'

/** A property management system that keeps what it is told, and fails when asked to. */
export async function startPms({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const store = openStore(home)
  const faults = openFaults()
  const calls = openCalls()
  const stopping = new AbortController()

  const server = createServer((req, res) => {
    res.setHeader('x-request-id', randomUUID())
    const work = req.url?.startsWith('/_control/') ? control(req, res, faults, calls) : serve(req, res)
    work.catch((error: unknown) => {
      if (error instanceof Refusal) answerRefusal(res, error)
      else if (!stopping.signal.aborted) res.destroy(error as Error)
    })
  })
  const url = await listen(server, address)

  return {
    url,
    async close() {
      stopping.abort()
      await stopListening(server)
      store.close()
    },
  }

  async function serve(req: IncomingMessage, res: ServerResponse) {
    const asked = readPath(req.method ?? 'GET', req.url ?? '/')
    const received = await receive(req)
    const key = header(req, 'idempotency-key')
    const call = calls.note({
      method: asked.method,
      path: asked.path,
      property: asked.property ?? null,
      external_id: asked.externalId ?? null,
      idempotency_key: key ?? null,
      traceparent: header(req, 'traceparent') ?? null,
      text: received.text,
    })
    res.on('finish', () => (call.status = res.statusCode))

    const strike = faults.strike(call)
    if (strike && (await suffer(strike, call, res)) === 'over') return
    try {
      if (asked.resource !== 'alive') checkKey(req)
      const { status, body, headers } = reply(asked, received, key, store)
      if (strike?.fault.mode !== 'lose_reply') answer(res, status, body, headers)
    } finally {
      if (strike?.fault.mode === 'lose_reply') req.socket.destroy()
    }
  }

  /** Lets the fault happen; `over` when nothing more is to be done for this call. */
  async function suffer(strike: Strike, call: Call, res: ServerResponse): Promise<'over' | 'goes on'> {
    const { fault } = strike
    call.fault = fault.mode
    const delayMs = fault.delay_ms ?? (fault.mode === 'slow' ? 1000 : 0)
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: stopping.signal, ref: false })
    switch (fault.mode) {
      case 'slow':
      case 'lose_reply':
        return 'goes on'
      case 'down':
        res.socket?.destroy()
        return 'over'
      case 'hang':
        return 'over'
      case 'garbage':
        answerGarbage(res, fault.code)
        return 'over'
      case 'refuse':
      case 'rate_limit':
        answerRefused(res, strike)
        return 'over'
    }
  }
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Any key will do, so that a test needs no account; one that begins with `invalid` never does. */
function checkKey(req: IncomingMessage) {
  const given = req.headers.authorization
  if (given === undefined) return
  const key = /^bearer +(\S+)$/i.exec(given)?.[1]
  if (!key || key.startsWith('invalid')) throw new Refusal(401, 'unauthorized', 'the API key is not valid')
}

/** `shape` gives JSON that is not what was promised; anything else is not JSON at all. */
function answerGarbage(res: ServerResponse, code: string | undefined) {
  if (code === 'shape') return answer(res, 200, { unit: [], units: 'none', status: 7 })
  res.writeHead(200, { 'content-type': 'application/json' }).end('<html><body>It works!</body></html>')
}

function answerRefused(res: ServerResponse, strike: Strike) {
  const { mode, status = mode === 'rate_limit' ? 429 : 503, code = codes[status] ?? 'refused' } = strike.fault
  const wait = retryAfter(strike)
  const headers = wait === undefined ? {} : { 'retry-after': wait }
  answer(res, status, { error: { code, message: `refused with ${status}, as it was told to` } }, headers)
}

const codes: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'unknown_unit',
  409: 'conflict',
  422: 'invalid',
  429: 'rate_limited',
  500: 'server_error',
  502: 'bad_gateway',
  503: 'unavailable',
}

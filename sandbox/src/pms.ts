import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answer, answerRefusal, receive, Refusal } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'
import { changeByHand, longestCalendarBytes, unitsNamed } from './pms/calendar-routes.ts'
import { openCalls } from './pms/calls.ts'
import { control } from './pms/control.ts'
import { openFaults, retryAfter } from './pms/faults.ts'
import { readPath, reply } from './pms/routes.ts'
import { openStore } from './pms/store.ts'
import { suffer, type Manner } from './pms/suffer.ts'

/** A property management system that keeps what it is told, and fails when asked to. */
export async function startPms({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const store = openStore(home)
  const faults = openFaults({ refusesValues: true })
  const calls = openCalls()
  const stopping = new AbortController()

  const server = createServer((req, res) => {
    res.setHeader('x-request-id', randomUUID())
    const work = serverOf(req.url ?? '/')(req, res)
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

  function serverOf(path: string) {
    if (path === '/_control/values') return putValues
    if (!path.startsWith('/_control/')) return serve
    return (req: IncomingMessage, res: ServerResponse) => control(req, res, faults, calls)
  }

  async function putValues(req: IncomingMessage, res: ServerResponse) {
    if (req.method !== 'PUT') throw new Refusal(405, 'method_not_allowed', 'only PUT is possible here')
    const { value, refusal } = await receive(req, longestCalendarBytes)
    if (refusal) throw refusal
    answer(res, 200, changeByHand(value, store))
  }

  async function serve(req: IncomingMessage, res: ServerResponse) {
    const asked = readPath(req.method ?? 'GET', req.url ?? '/')
    const isCalendar = asked.resource === 'calendar'
    const received = await receive(req, isCalendar ? longestCalendarBytes : undefined)
    const key = header(req, 'idempotency-key')
    const call = calls.note({
      method: asked.method,
      path: asked.path,
      property: asked.property ?? null,
      external_id: asked.externalId ?? null,
      ...(isCalendar ? { external_ids: unitsNamed(asked.query, received.value) } : {}),
      idempotency_key: key ?? null,
      traceparent: header(req, 'traceparent') ?? null,
      text: received.text,
    })
    res.on('finish', () => (call.status = res.statusCode))

    const strike = faults.strike(call)
    if (strike && (await suffer(strike, call, res, manner, stopping.signal)) === 'over') return
    try {
      if (asked.resource !== 'alive') checkKey(req)
      const { status, body, headers } = reply(asked, received, key, store, faults.valueRefusals)
      if (strike?.fault.mode !== 'lose_reply') answer(res, status, body, headers)
    } finally {
      if (strike?.fault.mode === 'lose_reply') req.socket.destroy()
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

const manner: Manner = {
  nonsense: { unit: [], units: 'none', status: 7, accepted: 'some', refused: 'none' },
  refuse(res, strike, status) {
    const code = strike.fault.code ?? codes[status] ?? 'refused'
    const wait = retryAfter(strike)
    const headers = wait === undefined ? {} : { 'retry-after': wait }
    answer(res, status, { error: { code, message: `refused with ${status}, as it was told to` } }, headers)
  },
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

import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { connectionRefusal, judged, literalOf, type Permissions } from './egress-addresses.ts'
import { receive, type Reply } from './egress-reply.ts'

/** Calls to addresses that an operator gave. None of them reaches what only we can reach. */
export interface Egress {
  /** Why this address may not be called, as far as it can be told without asking for the name. */
  refusal(url: string): string | null
  /** One call; a redirect is an answer like any other. @throws EgressRefused, AnswerTooLong, or what the network says */
  request(url: string, options: EgressOptions): Promise<Reply>
  close(): Promise<void>
}

export interface EgressOptions {
  method: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** 1 MiB unless told. */
  longestBytes?: number
}

type EgressSettings = Permissions & { lookup?: LookupFunction }

/** The address may not be called. */
export class EgressRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EgressRefused'
  }
}

const connectTimeoutMs = 2_000
/** The last resort: callers bring a signal of their own. */
const silenceMs = 60_000
const idleMs = 30_000
const longestAnswerBytes = 1_048_576

export function openEgress(options: EgressSettings): Egress {
  let opened: Promise<Agent> | undefined
  return {
    refusal(address) {
      const url = judged(address, options)
      return typeof url === 'string' ? url : null
    },
    async request(address, { method, headers, body, signal, longestBytes = longestAnswerBytes }) {
      const url = judged(address, options)
      if (typeof url === 'string') throw new EgressRefused(url)
      const agent = await (opened ??= openAgent(options))
      signal?.throwIfAborted()
      const path = url.pathname + url.search
      const { handler, reply } = receive(longestBytes, signal)
      const what = { origin: url.origin, path, method, headers: headers ?? null, body: body ?? null }
      agent.dispatch(what, handler)
      return await reply
    },
    close: async () => (await opened)?.destroy(),
  }
}

/** Why an IP address may not be called; null when it may. */
type AddressCheck = (address: string) => string | null

/** An API process seldom calls anybody, and starts without the library. */
async function openAgent({ lookup = resolve, ...permissions }: EgressSettings): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  const check: AddressCheck = (address) => connectionRefusal(address, permissions)
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: checkedLookup(lookup, check),
  })
  return new Agent({
    connect: checkedConnector(connect, check),
    pipelining: 1,
    connections: 64,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs * 2,
  })
}

/** An IP address needs no name looked up, and a connected socket knows best where it leads. */
function checkedConnector(connect: buildConnector.connector, check: AddressCheck): buildConnector.connector {
  return (target, callback) => {
    const literal = literalOf(target.hostname)
    const refusal = literal && check(literal)
    if (refusal) return callback(new EgressRefused(refusal), null)
    connect(target, (error, socket) => {
      if (error) return callback(error, null)
      const refusal = check(socket.remoteAddress ?? '')
      if (!refusal) return callback(null, socket)
      socket.destroy()
      callback(new EgressRefused(refusal), null)
    })
  }
}

/** Looks a name up once, for the check and for the connection, so that no second answer comes in between. */
function checkedLookup(lookup: LookupFunction, check: AddressCheck): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as unknown as LookupAddress[]
      if (error) return callback(error, [])
      const refusal = addresses.map(({ address }) => check(address)).find((found) => found !== null)
      if (refusal) return callback(new EgressRefused(refusal), [])
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { connectionProblem, checkAddress, ipLiteral, type AddressPolicy } from './address-rules.ts'
import { receiveResponse, type EgressResponse } from './response.ts'

/** Calls to addresses that operators give. None of them can reach what only this server can reach. */
export interface Egress {
  /** Why this address may not be called, as far as that is known without a DNS lookup; null when it may. */
  addressProblem(url: string): string | null
  /** Makes one call. Redirects are not followed. @throws EgressRefused, ResponseTooLarge, or an error of the network */
  request(url: string, options: EgressOptions): Promise<EgressResponse>
  close(): Promise<void>
}

export interface EgressOptions {
  method: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** 1 MiB by default. */
  maxBytes?: number
}

type EgressPolicy = AddressPolicy & { lookup?: LookupFunction }

/** The address may not be called. */
export class EgressRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EgressRefused'
  }
}

const connectTimeoutMs = 2_000
/** The last resort: callers pass a signal of their own. */
const inactivityTimeoutMs = 60_000
const keepAliveMs = 30_000
const maxResponseBytes = 1_048_576

export function openEgress(options: EgressPolicy): Egress {
  let opened: Promise<Agent> | undefined
  return {
    addressProblem(address) {
      const url = checkAddress(address, options)
      return typeof url === 'string' ? url : null
    },
    async request(address, { method, headers, body, signal, maxBytes = maxResponseBytes }) {
      const url = checkAddress(address, options)
      if (typeof url === 'string') throw new EgressRefused(url)
      const agent = await (opened ??= openAgent(options))
      signal?.throwIfAborted()
      const path = url.pathname + url.search
      const { handler, reply } = receiveResponse(maxBytes, signal)
      const dispatched = { origin: url.origin, path, method, headers: headers ?? null, body: body ?? null }
      agent.dispatch(dispatched, handler)
      return await reply
    },
    close: async () => (await opened)?.destroy(),
  }
}

/** Returns why an IP address may not be called; null when it may. */
type AddressCheck = (address: string) => string | null

/** Loads undici on the first call: most API processes never make one. */
async function openAgent({ lookup = resolve, ...permissions }: EgressPolicy): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  const check: AddressCheck = (address) => connectionProblem(address, permissions)
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: checkedLookup(lookup, check),
  })
  return new Agent({
    connect: checkedConnector(connect, check),
    pipelining: 1,
    connections: 64,
    headersTimeout: inactivityTimeoutMs,
    bodyTimeout: inactivityTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs * 2,
  })
}

/** Checks IP literals, which are not looked up, and once more the address that the socket is connected to. */
function checkedConnector(connect: buildConnector.connector, check: AddressCheck): buildConnector.connector {
  return (target, callback) => {
    const literal = ipLiteral(target.hostname)
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

/** Looks a name up once, for the check and for the connection, so that DNS rebinding cannot change it in between. */
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

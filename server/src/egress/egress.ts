import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { type LookupFunction, BlockList, isIP } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { dnsLookup } from './dns-lookup.ts'
import { receiveResponse, type EgressResponse } from './response.ts'
import ipaddr from 'ipaddr.js'

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
async function openAgent({ lookup: given, ...permissions }: EgressPolicy): Promise<Agent> {
  // Names in a private network may be only in the files of the system.
  const lookup = given ?? (permissions.allowsPrivate ? systemLookup : dnsLookup())
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

/** Whether a host is neither this machine nor in a private network, as far as that is known without a DNS lookup. */
export function isPublicHost(host: string): boolean {
  const literal = ipLiteral(host)
  return literal ? isPublic(literal) : host.includes('.') && !privateNames.test(host)
}

/** Which addresses given by operators may be called. The others could reach systems that only this server can reach. */
interface AddressPolicy {
  readonly allowsPrivate: boolean
  readonly allowsHttp: boolean
}

/** Host names reserved for this machine or a private network. */
const privateNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/** The URL to call, or a sentence that says why it may not be called. */
function checkAddress(address: string, { allowsPrivate, allowsHttp }: AddressPolicy): URL | string {
  if (!URL.canParse(address)) return 'The address is not a complete URL.'
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return `The address must begin with https://${allowsHttp ? ' or http://' : ''}.`
  if (url.username || url.password) return 'The address must not carry a user name or password.'
  const host = url.hostname.replace(/(?<!\.)\.+$/, '')
  const literal = ipLiteral(host)
  if (allowsPrivate) return literal && isForbidden(literal) ? forbiddenAddress : url
  if (!isPublicHost(host)) return privateAddress
  if (url.port && Number(url.port) < 1_024 && url.port !== '80')
    return `The port ${url.port} is not one that web services use.`
  return url
}

const privateAddress = 'The address leads to this machine or into a private network.'
const forbiddenAddress =
  'The address is link-local or that of a cloud’s metadata service, which is never called.'

/** Why a connection to this IP address may not be opened; null when it may. */
function connectionProblem(address: string, { allowsPrivate }: AddressPolicy): string | null {
  if (allowsPrivate) return isForbidden(address) ? forbiddenAddress : null
  return isPublic(address) ? null : privateAddress
}

/** The IP address of a URL that has one instead of a name. The URL parser has normalized its notation. */
function ipLiteral(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) ? bare : null
}

/** Whether an address is globally routable. Unknown ranges are not. */
function isPublic(address: string): boolean {
  if (isForbidden(address)) return false
  const ip = ipaddr.process(address)
  if (ip.range() !== 'unicast') return false
  // Of IPv6 only 2000::/3 is assigned.
  return ip instanceof ipaddr.IPv4 || ip.parts[0]! >> 13 === 1
}

/**
 * Whether an address is never called, whatever the policy: link-local addresses and the metadata services of clouds, which
 * hand out credentials. Text that is no IP address is forbidden as well.
 */
function isForbidden(address: string): boolean {
  const version = isIP(address)
  return version === 0 || forbidden.check(address.replace(/%.*/, ''), version === 6 ? 'ipv6' : 'ipv4')
}

const forbidden = new BlockList()

const forbiddenIpv4: [network: string, prefix: number][] = [
  ['169.254.0.0', 16], // link-local, with the metadata services of AWS, Azure, Google and others
  ['100.100.100.200', 32], // metadata of Alibaba Cloud
  ['192.0.0.0', 24], // assigned to protocols, with the metadata service of Oracle Cloud
  ['168.63.129.16', 32], // the host agent of Azure
  ['224.0.0.0', 3], // multicast, reserved, broadcast
]
for (const [network, prefix] of forbiddenIpv4) {
  forbidden.addSubnet(network, prefix, 'ipv4')
  const [a, b, c, d] = network.split('.').map(Number) as [number, number, number, number]
  const words = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  // IPv4-compatible, IPv4-translated (SIIT) and NAT64 addresses end with the four bytes; 6to4 begins with them.
  for (const start of ['::', '::ffff:0:', '64:ff9b::'])
    forbidden.addSubnet(`${start}${words}`, 96 + prefix, 'ipv6')
  forbidden.addSubnet(`2002:${words}::`, 16 + prefix, 'ipv6')
}

const forbiddenIpv6: [network: string, prefix: number][] = [
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
  ['fd00:ec2::', 32], // services of AWS, with its metadata
  ['fd20:ce::', 32], // metadata of Google Cloud
  ['fd00:c1::', 32], // metadata of Oracle Cloud
  ['fd00:42::42', 128], // metadata of Scaleway
  ['2001::', 32], // Teredo: embeds another address, obfuscated
  ['64:ff9b:1::', 48], // local-use NAT64: embeds another address in a form that only that network knows
]
for (const [network, prefix] of forbiddenIpv6) forbidden.addSubnet(network, prefix, 'ipv6')

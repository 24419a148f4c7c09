import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which addresses given by operators may be called. The others could reach systems that only this server can reach. */
export interface AddressPolicy {
  readonly allowsPrivate: boolean
  readonly allowsHttp: boolean
}

/** Host names reserved for this machine or a private network. */
const privateNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/** The URL to call, or a sentence that says why it may not be called. */
export function checkAddress(address: string, { allowsPrivate, allowsHttp }: AddressPolicy): URL | string {
  if (!URL.canParse(address)) return 'The address is not a complete URL.'
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return `The address must begin with https://${allowsHttp ? ' or http://' : ''}.`
  if (url.username || url.password) return 'The address must not carry a user name or password.'
  const host = url.hostname.replace(/(?<!\.)\.+$/, '')
  const literal = ipLiteral(host)
  if (allowsPrivate) return literal && isForbidden(literal) ? forbiddenAddress : url
  if (literal ? !isPublic(literal) : privateNames.test(host) || !host.includes('.')) return privateAddress
  if (url.port && Number(url.port) < 1_024 && url.port !== '80')
    return `The port ${url.port} is not one that web services use.`
  return url
}

const privateAddress = 'The address leads to this machine or into a private network.'
const forbiddenAddress =
  'The address is link-local or that of a cloud’s metadata service, which is never called.'

/** Why a connection to this IP address may not be opened; null when it may. */
export function connectionProblem(address: string, { allowsPrivate }: AddressPolicy): string | null {
  if (allowsPrivate) return isForbidden(address) ? forbiddenAddress : null
  return isPublic(address) ? null : privateAddress
}

/** The IP address of a URL that has one instead of a name. The URL parser has normalized its notation. */
export function ipLiteral(hostname: string): string | null {
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

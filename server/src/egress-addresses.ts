import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which addresses that an operator gave may be called; the others lead to what is not meant for them. */
export interface Permissions {
  readonly allowsPrivate: boolean
  readonly allowsHttp: boolean
}

/** Names that by agreement never leave the machine or its network. */
const homeNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/** The address to call, or a sentence that says why it may not be called. */
export function judged(address: string, { allowsPrivate, allowsHttp }: Permissions): URL | string {
  if (!URL.canParse(address)) return 'The address is not a complete URL.'
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return `The address must begin with https://${allowsHttp ? ' or http://' : ''}.`
  if (url.username || url.password) return 'The address must not carry a user name or password.'
  if (allowsPrivate) return url
  const host = url.hostname.replace(/(?<!\.)\.+$/, '')
  const literal = literalOf(host)
  if (literal ? !isPublic(literal) : homeNames.test(host) || !host.includes('.'))
    return 'The address leads to this machine or into a private network.'
  if (url.port && Number(url.port) < 1_024 && url.port !== '80')
    return `The port ${url.port} is not one that web services use.`
  return url
}

/** The IP address that stands in the place of a name. The parser of URLs has undone its disguises. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) ? bare : null
}

/** Whether everybody on the internet reaches the same machine by this address; what is not known to, does not. */
export function isPublic(address: string): boolean {
  if (!isIP(address)) return false
  const ip = ipaddr.process(address)
  if (ip.range() !== 'unicast') return false
  // Of version 6 only 2000::/3 is given out.
  return ip instanceof ipaddr.IPv4 || ip.parts[0]! >> 13 === 1
}

import { isIPv6 } from 'node:net'

/**
 * Who an address stands for. Somebody with IPv6 has a whole network of them, so that is what is counted; a machine
 * that is reached by both kinds is one.
 */
export function networkOf(ip: string): string {
  const address = ip.replace(/%.*$/s, '')
  if (!isIPv6(address)) return ip.slice(0, 64)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [front = [], back] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const left = back === undefined ? 0 : 8 - front.length - back.length
  const groups = [...front, ...Array<string>(Math.max(0, left)).fill('0'), ...(back ?? [])].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

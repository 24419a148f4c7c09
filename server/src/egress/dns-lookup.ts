import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** Two attempts, which together take longer than a connection may. */
const attempts = { timeout: 1_000, tries: 2 }

/**
 * Looks up names that callers give. The `getaddrinfo` of the system would hold one of two threads of this process until the
 * servers of a name answer, or for ten seconds: two such names would delay all other connections of the process, also those
 * to the database. Only the DNS is read, and its servers for each lookup, because `/etc/resolv.conf` may change.
 */
export const dnsLookup =
  (servers?: readonly string[]): LookupFunction =>
  (hostname, _options, callback) => {
    const resolver = new Resolver(attempts)
    if (servers) resolver.setServers(servers)
    const resolve = async (family: 4 | 6): Promise<LookupAddress[]> => {
      const found = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname))
      return found.map((address) => ({ address, family }))
    }
    void Promise.allSettled([resolve(4), resolve(6)]).then((results) => {
      const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      const failed = results.find((result) => result.status === 'rejected')
      if (found.length > 0) callback(null, found)
      else callback(failed?.reason as Error, [])
    })
  }

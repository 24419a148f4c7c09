import { isIP } from 'node:net'
import type { Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Vault } from '#secrets.ts'
import type { Credentials } from '../channel-targets/target-credentials.ts'
import { placeOf, type TargetConnection } from '../channel-targets/queries.ts'
import { keepTold } from './poll-queries.ts'
import type { Speaking } from './speak.ts'

/** Where the PMS finds us, and what a message from there must prove. */
export interface Door {
  readonly publicUrl: string
  readonly secrets: readonly string[]
  readonly allowsUnsigned: boolean
}

/**
 * Gives the PMS our address for its notices, once a day, so that one that was removed or switched off over there comes
 * back. Not where nobody outside can reach us, nor where we would refuse what comes.
 */
export async function tellAddress(
  scope: Scope,
  { door, vault }: { door: Door; vault: Vault },
  target: TargetConnection,
  { pms, call }: Speaking,
  toldAt: string | null,
): Promise<void> {
  if (!isReachable(door.publicUrl)) return
  const secret = secretOf(scope, vault, target) ?? door.secrets[0] ?? null
  if (secret === null && !door.allowsUnsigned) return
  const address = `${door.publicUrl}/webhooks/pms/${target.id}`
  const { provider, base_url, property_ref } = target.config
  const place = JSON.stringify([address, provider, base_url, property_ref, target.version])
  if (place === toldAt) return
  try {
    await pms.bookings.tellAt(address, secret, call)
    await keepTold(scope, target.id, place)
  } catch (error) {
    // Notices only make it faster: what is asked for each minute is complete without them.
    if (!(error instanceof PmsFailure)) throw error
    if (!error.isHeldBack)
      events.bookingsUnheard({ orgId: scope.orgId, targetId: target.id, code: error.code })
  }
}

function secretOf({ orgId }: Scope, vault: Vault, { id, credentials }: TargetConnection): string | null {
  if (!credentials) return null
  return vault.open<Credentials>(credentials, placeOf(orgId, id)).webhook_secret ?? null
}

/** A name or an address that means this machine, or a network behind a wall, is of no use to a PMS. */
export function isReachable(publicUrl: string): boolean {
  const host = URL.parse(publicUrl)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (isIP(host) === 6) return !/^(::1?$|f[cd]|fe80)/i.test(host)
  if (isIP(host) === 4) return !/^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)\./.test(host)
  return host.includes('.') && !/\.(localhost|local|internal)$/.test(host)
}

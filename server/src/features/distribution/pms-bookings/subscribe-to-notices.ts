import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { isPublicHost } from '#egress/egress.ts'
import { events } from '#telemetry/log.ts'
import type { BookingPolling } from '#integrations/pms/pms-booking.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { Vault } from '#secrets/vault.ts'
import {
  credentialsContext,
  type Credentials,
} from '#features/distribution/channel-targets/target-credentials.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'

/** Where a PMS sends its notices, and how they must be signed. */
export interface InboxAddress {
  readonly publicUrl: string
  readonly secrets: readonly string[]
  readonly allowsUnsigned: boolean
}

/**
 * Registers our address for notices at the PMS, once a day, so that a removed or disabled registration is restored. Does
 * nothing when the address is not public, or when the notices would be rejected because no secret is configured.
 */
export async function subscribeToNotices(
  scope: Scope,
  { inbox, vault }: { inbox: InboxAddress; vault: Vault },
  target: TargetConnection,
  { polling, access }: { polling: BookingPolling; access: PmsAccess },
  current: string | null,
): Promise<void> {
  if (!isReachable(inbox.publicUrl)) return
  const secret = webhookSecretOf(scope, vault, target) ?? inbox.secrets[0] ?? null
  if (secret === null && !inbox.allowsUnsigned) return
  const address = `${inbox.publicUrl}/webhooks/pms/${target.id}`
  const { provider, base_url, property_ref } = target.config
  const subscription = JSON.stringify([address, provider, base_url, property_ref, target.version])
  if (subscription === current) return
  try {
    await polling.subscribe(address, secret, access.call)
    await saveSubscription(scope, target.id, subscription)
  } catch (error) {
    // Notices only save time: the poll finds every booking without them.
    if (!(error instanceof PmsFailure)) throw error
    if (!error.isThrottledLocally)
      events.bookingPollFailed({ orgId: scope.orgId, targetId: target.id, code: error.code })
  }
}

const saveSubscription = (scope: Scope, targetId: string, subscription: string) =>
  rows(
    scope,
    sql`
      update target_syncs
      set bookings_told_at = ${subscription},
        bookings_told_since = clock_timestamp()
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}`,
  )

function webhookSecretOf(
  { orgId }: Scope,
  vault: Vault,
  { id, credentials }: TargetConnection,
): string | null {
  if (!credentials) return null
  return vault.open<Credentials>(credentials, credentialsContext(orgId, id)).webhook_secret ?? null
}

/** Whether a PMS can reach an address: not this machine, and not a private network. */
export const isReachable = (publicUrl: string): boolean => isPublicHost(URL.parse(publicUrl)?.hostname ?? '')

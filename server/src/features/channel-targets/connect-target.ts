import type { PmsConnection, PmsDirectory } from '#outside/pms/pms.ts'
import type { Vault } from '#secrets.ts'
import { placeOf, type TargetConnection } from './queries.ts'

export interface Connections {
  readonly pms: PmsDirectory
  readonly vault: Vault
}

/** Opens the PMS of a target with its credentials. @throws PmsFailure when its configuration cannot work. */
export function connectTarget(
  { pms, vault }: Connections,
  orgId: string,
  target: TargetConnection,
): PmsConnection {
  const { id, config, credentials } = target
  return pms.connect({
    provider: config.provider ?? 'sandbox',
    baseUrl: config.base_url ?? null,
    property: config.property_ref ?? id,
    credentials: credentials && vault.open<{ api_key: string }>(credentials, placeOf(orgId, id)),
    timeoutMs: config.timeout_ms ?? null,
  })
}

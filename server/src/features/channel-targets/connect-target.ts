import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { PmsConnection, PmsDirectory, Provider } from '#outside/pms/pms.ts'
import type { Vault } from '#secrets.ts'
import type { TargetConfig } from './channel-target.ts'
import type { Credentials } from './target-credentials.ts'
import { placeOf, type TargetConnection } from './queries.ts'

export interface Connections {
  readonly pms: PmsDirectory
  readonly vault: Vault
  /** As long as one call to a PMS may take, unless the target says otherwise. */
  readonly timeoutMs: number
}

export const providerOf = ({ pms }: Connections, { config }: { config: TargetConfig }): Provider =>
  pms.provider(config.provider ?? 'sandbox')

/** Opens the PMS of a target with its credentials. @throws PmsFailure when its configuration cannot work. */
export function connectTarget(
  connections: Connections,
  orgId: string,
  target: TargetConnection,
): PmsConnection {
  const { id, config, credentials } = target
  return providerOf(connections, target).connect({
    baseUrl: config.base_url ?? null,
    property: config.property_ref ?? id,
    credentials: credentials && opened(connections.vault, credentials, placeOf(orgId, id)),
    timeoutMs: config.timeout_ms ?? connections.timeoutMs,
  })
}

function opened(vault: Vault, sealed: Buffer, place: string): Credentials {
  try {
    return vault.open(sealed, place)
  } catch (cause) {
    throw new PmsFailure('internal', 'The stored credentials cannot be opened.', {
      hint: 'Enter the api_key again, or give SECRET_KEYS the key that sealed it.',
      cause,
    })
  }
}

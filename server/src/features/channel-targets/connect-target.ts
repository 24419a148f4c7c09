import { PmsFailure, type PmsConnection, type PmsDirectory } from '#outside/pms/pms.ts'
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
    credentials: credentials && opened(vault, credentials, placeOf(orgId, id)),
    timeoutMs: config.timeout_ms ?? null,
  })
}

function opened(vault: Vault, sealed: Buffer, place: string): { api_key: string } {
  try {
    return vault.open(sealed, place)
  } catch (cause) {
    throw new PmsFailure('internal', 'The stored credentials cannot be opened.', {
      hint: 'Enter the api_key again, or give SECRET_KEYS the key that sealed it.',
      cause,
    })
  }
}

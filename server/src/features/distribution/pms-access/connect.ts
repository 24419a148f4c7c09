import type { Scope } from '#db/scope.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { PmsConnection } from '#integrations/pms/pms.ts'
import type { PmsDirectory, Provider } from '#integrations/pms/pms-provider.ts'
import type { Vault } from '#secrets/vault.ts'
import type { TargetConfig } from '#features/distribution/channel-targets/channel-target.ts'
import {
  credentialsContext,
  type Credentials,
} from '#features/distribution/channel-targets/target-credentials.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { budgetsOf, openRateLimiter, type CallLimits } from './rate-limiter.ts'

export interface Connections {
  readonly pms: PmsDirectory
  readonly vault: Vault
  /** The timeout of one call, unless the target configures its own. */
  readonly timeoutMs: number
}

export const providerOf = (
  { pms }: Pick<Connections, 'pms'>,
  { config }: { config: TargetConfig },
): Provider => pms.getProvider(config.provider ?? 'generic')

/** Opens the PMS of a target with its credentials. @throws PmsFailure when the configuration is invalid */
export function connectTarget(
  connections: Connections,
  orgId: string,
  target: TargetConnection,
): PmsConnection {
  const { id, config, credentials } = target
  return providerOf(connections, target).connect({
    baseUrl: config.base_url ?? null,
    property: config.property_ref ?? id,
    credentials: credentials && opened(connections.vault, credentials, credentialsContext(orgId, id)),
    timeoutMs: config.timeout_ms ?? connections.timeoutMs,
  })
}

export interface PmsAccess {
  readonly pms: PmsConnection
  readonly provider: Provider
  readonly call: CallContext
}

/** Calls the PMS of a target, within the budget that all processes share. @throws PmsFailure */
export async function withPms<T>(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  work: (access: PmsAccess) => Promise<T>,
  limits: CallLimits = {},
): Promise<T> {
  const provider = providerOf(connections, target)
  const limiter = openRateLimiter(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: 0,
    ...limits,
  })
  const { signal } = limits
  const call = { rateLimiter: limiter, traceparent: scope.traceparent, ...(signal && { signal }) }
  try {
    return await work({ pms: connectTarget(connections, scope.orgId, target), provider, call })
  } finally {
    await limiter.settled()
  }
}

function opened(vault: Vault, sealed: Buffer, place: string): Credentials {
  try {
    return vault.open(sealed, place)
  } catch (cause) {
    throw new PmsFailure('internal', 'The stored credentials cannot be decrypted.', {
      hint: 'Enter the API key again, or add the key that encrypted it to SECRET_KEYS.',
      cause,
    })
  }
}

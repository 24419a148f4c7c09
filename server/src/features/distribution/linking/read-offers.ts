import type { Scope } from '#db/scope.ts'
import { PmsError } from '#errors.ts'
import type { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { withPms, type Connections } from '#features/distribution/pms-access/connect.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'

/** A person waits for the answer, so no call starts after this time. */
const maxDurationMs = 20_000

/** What the PMS of a target offers, read within the call budget that it shares with the workers. @throws PmsFailure */
export const readOffers = (scope: Scope, connections: Connections, target: TargetConnection) =>
  withPms(scope, connections, target, ({ pms, call }) => pms.listOffers(call), { lastsMs: maxDurationMs })

/** The error of a request that needed the PMS. */
export const toPmsError = (failure: PmsFailure): PmsError =>
  new PmsError(failure.retryable ? 'pms-unavailable' : 'pms-refused', failure.message, {
    members: { error_code: failure.code, hint: hintFor(failure) },
    retryAfter: failure.retryAfter,
    cause: failure,
  })

const transientCodes = new Set<string>([
  'network',
  'timeout',
  'pms_unavailable',
  'rate_limited',
  'circuit_open',
])

/** The hint of a transient failure says that a push is retried automatically; a request is not. */
export const hintFor = ({ code, hint }: PmsFailure): string =>
  transientCodes.has(code)
    ? 'Try again in a moment. If it still fails, check the address of the channel, and whether the PMS works.'
    : hint

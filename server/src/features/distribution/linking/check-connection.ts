import { randomUUID } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { Egress } from '#egress/egress.ts'
import type { Scope } from '#db/scope.ts'
import { semanticError } from '#errors.ts'
import { failureCodes, PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { RateLimiter } from '#integrations/pms/pms-call.ts'
import { identifier, nullable, text } from '#schema/fields.ts'
import { mask } from '#secrets/vault.ts'
import {
  assertAddressAllowed,
  assertConfigComplete,
  type TargetConfigInput,
} from '#features/distribution/channel-targets/channel-target.ts'
import { splitCredentials } from '#features/distribution/channel-targets/target-credentials.ts'
import type { Connections } from '#features/distribution/pms-access/connect.ts'
import { hintFor } from './read-offers.ts'

/** Whether a configuration reaches its PMS, found before a channel target is created with it. */
export const ConnectionCheck = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the PMS accepts the configuration.' }),
    rooms: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        format: 'int32',
        description: 'How many rooms the PMS offers; null when it could not be asked.',
      }),
    ),
    error_code: nullable(identifier(64, `One of ${failureCodes.join(', ')}; null when it works.`)),
    message: nullable(text(2_000, 'Why it does not work.')),
    hint: nullable(text(2_000, 'What to correct.')),
  },
  { title: 'ConnectionCheck' },
)
export type ConnectionCheck = Static<typeof ConnectionCheck>

/** Asks the PMS of a configuration for its rooms. Nothing is stored. @throws BadRequest, Invalid */
export async function checkConnection(
  scope: Scope,
  connections: Connections,
  egress: Pick<Egress, 'addressProblem'>,
  config: TargetConfigInput,
): Promise<ConnectionCheck> {
  assertConfigComplete(config)
  assertAddressAllowed(config, egress)
  const { given, kept } = splitCredentials(config.credentials)
  if (kept.length > 0)
    throw semanticError(
      `config/credentials/${kept[0]!}`,
      `${mask} stands for a stored secret, and here none is stored. Send the secret itself.`,
    )
  try {
    const pms = connections.pms.getProvider(config.provider ?? 'generic').connect({
      baseUrl: config.base_url ?? null,
      property: config.property_ref ?? randomUUID(),
      credentials: Object.keys(given).length > 0 ? given : null,
      timeoutMs: Math.min(config.timeout_ms ?? connections.timeoutMs, maxTimeoutMs),
    })
    const call = { rateLimiter: limitCalls(), traceparent: scope.traceparent }
    await pms.checkAccess(call)
    const offers = await pms.listOffers(call)
    return { ok: true, rooms: offers.length, error_code: null, message: null, hint: null }
  } catch (failure) {
    if (!(failure instanceof PmsFailure)) throw failure
    return {
      ok: false,
      rooms: null,
      error_code: failure.code,
      message: failure.message,
      hint: hintFor(failure),
    }
  }
}

/** A person waits for the answer. */
const maxTimeoutMs = 10_000
/** Enough for the rooms of a large account; no budget is kept, because there is no target that it could belong to. */
const maxCalls = 20

const limitCalls = (): RateLimiter => {
  let calls = 0
  return {
    async acquire() {
      calls++
      if (calls <= maxCalls) return
      throw new PmsFailure('rate_limited', 'The PMS has more rooms than are counted here.', {
        hint: 'Create the channel target: its rooms are listed within its rate limits.',
      })
    },
    recordResponse() {},
    recordFailure() {},
  }
}

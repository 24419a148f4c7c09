import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { startNodeProcess, type NodeProcess } from './node-process.ts'
import type { World } from './world.ts'

/** Starts the API or a worker, patient on a busy machine. Tests exceed the rate limits, so there are none. */
export const startTestProcess = (
  entrance: 'api' | 'worker',
  env: Record<string, string>,
): Promise<NodeProcess> =>
  startNodeProcess({
    file: `server/bin/${entrance}.ts`,
    env: { RATE_LIMITS: 'false', DATABASE_TIMEOUT_MS: '60000', ...env },
  })

/** Ages the heartbeats of killed workers, so that their jobs are released now instead of after ten seconds. */
export async function expireHeartbeats({ databaseUrl }: World): Promise<void> {
  const owner = openOwner(databaseUrl)
  try {
    await owner.pipelined({ orgId: null }, [
      sql`update queue.jobs set heartbeat_at = heartbeat_at - interval '1 minute' where heartbeat_at is not null`,
    ])
  } finally {
    await owner.close()
  }
}

/** Starts a worker of a queue with the database and the PMS of a world, and other settings. */
export const startWorkerProcess = (
  { config, pms }: World,
  secretKeys: string,
  queue = 'sync',
  env: Record<string, string> = {},
): Promise<NodeProcess> =>
  startNodeProcess({
    file: 'server/bin/worker.ts',
    args: [queue],
    env: {
      DATABASE_URL: config.database.url,
      OIDC_ISSUER: config.identity.issuer,
      OIDC_AUDIENCE: config.identity.audience,
      SECRET_KEYS: secretKeys,
      GENERIC_PMS_URL: pms.url,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
      ...env,
    },
  })

import type { Config } from './config.ts'
import { openDatabase, type Database } from './db/connect.ts'
import type { Outbox } from './db/scope.ts'
import { openEgress, type Egress } from './egress.ts'
import { events } from './events.ts'
import { ownCounters, redisCounters, type Counters } from './outside/counters/counters.ts'
import type { Identity } from './outside/identity/identity.ts'
import { oidcIdentity } from './outside/identity/oidc-identity.ts'
import { paymentsReachable } from './outside/payments/payments.ts'
import { pmsDirectory } from './outside/pms/directory.ts'
import type { PmsDirectory } from './outside/pms/pms.ts'
import { openOutbox, openWorkerQueue, type WorkerQueue } from './queue/queue.ts'
import { openVault, type Vault } from './secrets.ts'

/** Everything that stands behind the two doors. */
export interface Resources {
  readonly config: Config
  readonly database: Database
  readonly outbox: Outbox
  readonly identity: Identity
  readonly egress: Egress
  readonly pms: PmsDirectory
  readonly vault: Vault
  readonly counters: Counters
  readonly payments: { reachable(): Promise<boolean> }
  close(): Promise<void>
}

/** Opens what the API needs; names the implementations. */
export async function openResources(config: Config, process: 'api' | 'worker'): Promise<Resources> {
  const database = openDatabase({
    url: config.database.url,
    poolSize: config.database.poolSize,
    role: 'vacancy_app',
    statementTimeoutMs: process === 'api' ? 5_000 : 30_000,
    prepare: config.database.prepare,
    applicationName: `vacancy ${process}`,
    onError: events.databaseTrouble,
  })
  const { outbox, close: closeOutbox } = await openOutbox(database)
  const counters = config.redis.url ? redisCounters(config.redis.url, events.queueTrouble) : ownCounters
  const { allowsPrivate } = config.egress
  const egress = openEgress({ allowsPrivate, allowsHttp: allowsPrivate })
  return {
    config,
    database,
    outbox,
    identity: oidcIdentity(config.identity),
    egress,
    pms: pmsDirectory({ egress, sandboxUrl: config.pms.sandboxUrl }),
    vault: openVault(config.secrets.keys),
    counters,
    payments: { reachable: () => paymentsReachable(config.payments.url, config.payments.apiKey) },
    async close() {
      await closeOutbox()
      await egress.close()
      await counters.close()
      await database.close()
    },
  }
}

/** The working side of the queue, for workers only. */
export const openWork = (config: Config): Promise<WorkerQueue> =>
  openWorkerQueue(config.database.ownerUrl, events.queueTrouble)

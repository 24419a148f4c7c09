import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Database } from './db/connect.ts'
import { openRestricted } from './db/effective-role.ts'
import type { Outbox } from './db/scope.ts'
import { openEgress, type Egress } from './egress.ts'
import { events } from './events.ts'
import type { Counters } from './outside/counters/counters.ts'
import { ownCounters } from './outside/counters/own-counters.ts'
import type { Identity } from './outside/identity/identity.ts'
import { oidcIdentity } from './outside/identity/oidc-identity.ts'
import { latePayments } from './outside/payments/late-payments.ts'
import { noPayments } from './outside/payments/no-payments.ts'
import type { Payments } from './outside/payments/payments.ts'
import type { Mail } from './outside/mail/mail.ts'
import { noMail, smtpMail } from './outside/mail/smtp-mail.ts'
import { diskStorage } from './outside/storage/disk-storage.ts'
import type { Storage } from './outside/storage/storage.ts'
import { pmsDirectory } from './outside/pms/directory.ts'
import type { PmsDirectory } from './outside/pms/pms.ts'
import type { Sms } from './outside/sms/sms.ts'
import { noSms, twilioSms } from './outside/sms/twilio-sms.ts'
import { openOutbox, openWorkerQueue, type WorkerQueue } from './queue/queue.ts'
import { seldom } from './queue/trouble.ts'
import { openVault, type Vault } from './secrets.ts'
import { traced } from './traced.ts'

/** Everything that stands behind the two doors. */
export interface Resources {
  readonly config: Config
  readonly database: Database
  readonly outbox: Outbox
  readonly identity: Identity
  readonly egress: Egress
  readonly pms: PmsDirectory
  readonly vault: Vault
  readonly mail: Mail
  readonly storage: Storage
  readonly sms: Sms
  readonly counters: Counters
  readonly payments: Payments
  close(): Promise<void>
}

/** Opens what the API needs; names the implementations. */
export async function openResources(config: Config, process: 'api' | 'worker'): Promise<Resources> {
  const opened = await openRestricted({
    ...config.database,
    role: 'vacancy_app',
    statementTimeoutMs: process === 'api' ? 5_000 : 30_000,
    plansOnce: process === 'worker',
    applicationName: `vacancy ${process}`,
    onError: seldom(events.databaseTrouble),
  })
  const database = traced('postgresql', opened, 'pipelined', 'transaction')
  const { outbox, close: closeOutbox } = await openOutbox(database)
  const counters = process === 'api' ? await countersOf(config) : ownCounters()
  const mail = config.mail ? traced('smtp', smtpMail(config.mail), 'send') : noMail
  const storage = traced('storage', await storageOf(config), 'put', 'read', 'sizeOf', 'remove')
  const { allowsPrivate } = config.egress
  const egress = openEgress({ allowsPrivate, allowsHttp: allowsPrivate })
  return {
    config,
    database,
    outbox,
    identity: oidcIdentity(config.identity),
    egress,
    pms: pmsDirectory({ egress, sandboxUrl: config.pms.sandboxUrl, photosAt: config.http.publicUrl }),
    vault: openVault(config.secrets.keys),
    mail,
    storage,
    sms: config.sms ? traced('sms', twilioSms(config.sms), 'send') : noSms,
    counters,
    payments: paymentsOf(config),
    async close() {
      await closeOutbox()
      mail.close()
      storage.close()
      await egress.close()
      await counters.close()
      await database.close()
    },
  }
}

/** Many processes need a library that one does not: it is loaded where there is a store. */
async function countersOf({ redis: { url, timeoutMs } }: Config): Promise<Counters> {
  if (url === null) return ownCounters()
  const { redisCounters } = await import('./outside/counters/redis-counters.ts')
  return redisCounters({ url, timeoutMs, onLost: events.limitStoreLost, onBack: events.limitStoreBack })
}

const paymentsOf = ({ payments: { url, apiKey, webhookSecrets } }: Config): Payments =>
  url === null && apiKey === null
    ? noPayments
    : traced(
        'payments',
        latePayments(async () => {
          const { stripePayments } = await import('./outside/payments/stripe-payments.ts')
          return stripePayments({ url, apiKey: apiKey ?? 'none', webhookSecrets })
        }),
        ...(['open', 'find', 'findOpened', 'cancel', 'capture', 'refund'] as const),
      )

/** The library of S3 is large, so it is loaded where there is a bucket. */
async function storageOf({ media: { bucket }, home }: Config): Promise<Storage> {
  if (bucket === null) return diskStorage(join(home, 'media'))
  const { s3Storage } = await import('./outside/storage/s3-storage.ts')
  return s3Storage(bucket)
}

/** The working side of the queue, for workers only. */
export async function openWork(config: Config): Promise<WorkerQueue> {
  const trouble = seldom(events.queueTrouble)
  return await openWorkerQueue(await openQueueDatabase(config, trouble), trouble)
}

/**
 * The queue has connections of its own, so that jobs that hold all others can still be settled. One whose other side is
 * gone without a word holds up the queue for no longer than a statement may take.
 */
export const openQueueDatabase = (config: Config, onError: (error: Error) => void): Promise<Database> =>
  openRestricted({
    ...config.database,
    poolSize: 4,
    role: 'vacancy_queue',
    statementTimeoutMs: 20_000,
    applicationName: 'vacancy queue',
    onError,
  })

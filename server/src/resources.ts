import { join } from 'node:path'
import type { Config } from '#config/config.ts'
import { openDatabase, type Database } from '#db/connect.ts'
import { openRestricted } from '#db/effective-role.ts'
import { limitTransactions } from '#db/limit-transactions.ts'
import { readFromStandby } from '#db/standby.ts'
import { openEgress, type Egress } from '#egress/egress.ts'
import { events } from '#telemetry/log.ts'
import { type Counters, memoryCounters } from '#integrations/counters/counters.ts'
import type { Identity } from '#integrations/identity/identity.ts'
import { oidcIdentity } from '#integrations/identity/oidc-identity.ts'
import { lazyPayments, noPayments, type Payments } from '#integrations/payments/payments.ts'
import type { Mail } from '#integrations/mail/mail.ts'
import { noMail, smtpMail } from '#integrations/mail/smtp-mail.ts'
import { lazyStorage, type Storage } from '#integrations/storage/storage.ts'
import { pmsDirectory } from '#integrations/pms/directory.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import type { Sms } from '#integrations/sms/sms.ts'
import { noSms, twilioSms } from '#integrations/sms/twilio-sms.ts'
import { openWorkerQueue, type WorkerQueue } from '#queue/queue.ts'
import { throttle } from '#telemetry/throttle.ts'
import { openVault, type Vault } from '#secrets/vault.ts'
import { metrics } from '#telemetry/metrics.ts'
import { traceCalls } from '#telemetry/tracing.ts'

/** The external systems that the API and the workers use. */
export interface Resources {
  readonly config: Config
  readonly database: Database
  /** Where requests read many records: a standby, if there is one. */
  readonly readDatabase: Database
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

/** Opens all external systems. The only place that names their implementations. */
export async function openResources(config: Config, process: 'api' | 'worker'): Promise<Resources> {
  const options = {
    ...config.database,
    role: 'vacancy_app' as const,
    ...(process === 'api' ? requestLimits(config) : { statementTimeoutMs: 30_000 }),
    avoidedPlans: process === 'worker' ? (['seqscan'] as const) : [],
    applicationName: `vacancy ${process}`,
    onError: throttle(events.databaseError),
  }
  const opened = traceCalls('postgresql', await openRestricted(options), 'pipelined', 'transaction')
  const database =
    process === 'api'
      ? limitTransactions(opened, {
          // Half of them would make the writes of one organization a fifth slower: fewer share a flush of the disk.
          maxPerOrg: Math.ceil(options.poolSize * 0.8),
          // Those that wait hold nothing, so they may wait for several others.
          maxWaitMs: config.database.requestTimeoutMs * 2,
        })
      : opened
  const { readUrl } = config.database
  // It may be down when a process starts. Its roles and policies are those of the primary.
  const standby =
    process === 'api' && readUrl !== null
      ? openDatabase({ ...options, url: readUrl, directUrl: readUrl })
      : null
  const counters = process === 'api' ? await openCounters(config) : memoryCounters()
  const mail = config.mail ? traceCalls('smtp', smtpMail(config.mail), 'send') : noMail
  const storage = traceCalls('storage', openStorage(config), 'put', 'read', 'sizeOf', 'remove')
  const { allowsPrivate } = config.egress
  const egress = openEgress({ allowsPrivate, allowsHttp: allowsPrivate })
  return {
    config,
    database,
    readDatabase: standby
      ? readFromStandby(database, traceCalls('postgresql', standby, 'pipelined', 'transaction'), {
          onRead: metrics.readServed,
          onError: options.onError,
        })
      : database,
    identity: oidcIdentity(config.identity),
    egress,
    pms: pmsDirectory({ egress, defaultUrl: config.pms.defaultUrl, photoBaseUrl: config.http.publicUrl }),
    vault: openVault(config.secrets.keys),
    mail,
    storage,
    sms: config.sms ? traceCalls('sms', twilioSms(config.sms), 'send') : noSms,
    counters,
    payments: openPayments(config),
    async close() {
      mail.close()
      storage.close()
      await egress.close()
      await counters.close()
      await standby?.close()
      await database.close()
    },
  }
}

/** Counters in this process serve a single API process. Redis, and its library, is needed only for several. */
async function openCounters({ redis: { url, ...options } }: Config): Promise<Counters> {
  if (url === null) return memoryCounters()
  const { redisCounters } = await import('#integrations/counters/redis-counters.ts')
  return redisCounters({
    url,
    ...options,
    onLost: events.rateLimitStoreLost,
    onBack: events.rateLimitStoreRestored,
  })
}

export const openPayments = ({ payments: { url, apiKey, webhookSecrets } }: Config): Payments =>
  url === null && apiKey === null
    ? noPayments
    : traceCalls(
        'payments',
        lazyPayments(async () => {
          const { stripePayments } = await import('#integrations/payments/stripe-payments.ts')
          return stripePayments({ url, apiKey: apiKey ?? 'none', webhookSecrets })
        }),
        ...(['open', 'find', 'findOpened', 'cancel', 'capture', 'refund'] as const),
      )

export const openMail = ({ mail }: Config): Mail => (mail ? smtpMail(mail) : noMail)

export const openStorage = ({ media: { bucket }, home }: Config): Storage =>
  lazyStorage(async () => {
    if (bucket === null) {
      const { diskStorage } = await import('#integrations/storage/disk-storage.ts')
      return diskStorage(join(home, 'media'))
    }
    const { s3Storage } = await import('#integrations/storage/s3-storage.ts')
    return s3Storage(bucket)
  })

const requestLimits = ({ database: { requestTimeoutMs } }: Config) => ({
  statementTimeoutMs: requestTimeoutMs,
  lockTimeoutMs: requestTimeoutMs * 0.8,
})

/** Opens the consuming side of the queue, with a database pool of its own. */
export async function connectWorkerQueue(config: Config): Promise<WorkerQueue> {
  const onError = throttle(events.queueError)
  return await openWorkerQueue(await openQueueDatabase(config, onError), onError)
}

/**
 * The queue has connections of its own, so that results are saved even when jobs use all other connections. A dead
 * connection blocks the queue no longer than the statement timeout.
 */
export const openQueueDatabase = (config: Config, onError: (error: Error) => void): Promise<Database> =>
  openRestricted({
    ...config.database,
    poolSize: 4,
    role: 'vacancy_queue',
    // A claim reads the oldest jobs in the order of the index, however many wait.
    avoidedPlans: ['seqscan', 'bitmapscan', 'sort'],
    statementTimeoutMs: 20_000,
    applicationName: 'vacancy queue',
    onError,
  })

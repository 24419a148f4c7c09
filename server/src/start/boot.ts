/** Starts the components of the product, in their order. */
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import { buildConsole, type ConsoleBuild } from './console-build.ts'
import { demonstrationFor, recordPayments, refuseListing } from './demonstration.ts'
import { superviseDatabase } from './supervise-postgres.ts'
import {
  developmentAudience,
  buildEnvironment,
  paymentsWebhookSecret,
  type Environment,
} from './environment.ts'
import type { Ports } from './home.ts'
import { findFreePort } from './ports.ts'
import { prepareDatabase } from './prepare-database.ts'
import { listSandboxPeople, saveSandboxPeople } from './sandbox-people.ts'
import type { StartContext } from './start-context.ts'
import type { Component } from './components.ts'
import { summarize } from './summary.ts'

interface SandboxFacts {
  issuer: string
  pms_url: string
  payments_url: string
  mail_url: string
  smtp_url: string
}

/** What a process reports when it is ready. */
interface ProcessFacts {
  url?: string
  queues?: string[]
  monitoring_url?: string
}

/** A worker process each for the PMS, for payments and for notifications, which also runs the other queues. */
const workerProcesses = [
  ['sync worker', ['sync']],
  ['payment worker', ['payments']],
  ['notification worker', ['notifications', 'webhooks', 'upkeep']],
] as const
/** One process for all queues. */
const singleWorkerProcess = ['worker', []] as const
export const workersOf = ({ singleWorker }: Pick<StartContext, 'singleWorker'>) =>
  singleWorker ? [singleWorkerProcess] : workerProcesses

export async function boot(context: StartContext) {
  const startedAt = performance.now()
  const { env, root, home, progress, components } = context
  const port = context.port || (await findFreePort())
  const ports = await choosePorts(home.ports, port)
  const [database, sandbox] = await Promise.all([
    openDatabase(context, ports),
    openSandbox(context, ports, port),
    prepareConsole(context),
  ])
  if (database.seeded === 'year' && sandbox) {
    await refuseListing(sandbox.pms_url)
    await recordPayments(sandbox.payments_url, database.payments)
  }
  home.savePorts({
    ...ports,
    ...(database.port && { postgres: database.port }),
  })

  const environment = buildEnvironment(env, {
    databaseUrl: database.url,
    issuer: sandbox?.issuer ?? '',
    pmsUrl: sandbox?.pms_url ?? '',
    paymentsUrl: sandbox?.payments_url ?? '',
    mailUrl: sandbox?.mail_url ?? '',
    smtpUrl: sandbox?.smtp_url ?? '',
    port,
    home: home.path,
    secrets: home.secrets,
  })
  const child = (
    name: Component['name'],
    file: string,
    args: readonly string[] = [],
    extra: Environment = {},
  ) =>
    startChild<ProcessFacts>({
      ...childOptions(context, name),
      file: join(root, 'server', 'bin', file),
      args: [...args],
      maxSemiSpaceMb: 8,
      maxHeapMb: 1_024,
      env: { ...env, ...environment, ...extra },
    })
  const workers: Child<ProcessFacts>[] = []
  const layout = workersOf(context)
  for (const [name, queues] of layout) {
    const worker = child(name, 'worker.ts', queues, metricsPortOf(env, workers.length))
    await components.add({ name, stop: worker.stop, timeoutMs: 2_500 })
    workers.push(worker)
  }
  const api = child('API', 'api.ts')
  await components.add({ name: 'API', stop: api.stop, timeoutMs: 4_000 })
  const [workerFacts] = await Promise.all([
    progress.step(
      () => Promise.all(workers.map(({ ready }) => ready)),
      () => (workers.length > 1 ? `${workers.length} workers ready` : 'Worker ready'),
    ),
    progress.step(
      () => api.ready,
      () => `API ready on port ${port}`,
    ),
  ])

  const running = {
    pid: process.pid,
    port,
    api_url: `http://localhost:${port}`,
    issuer: environment['OIDC_ISSUER'] ?? '',
    audience: environment['OIDC_AUDIENCE'] ?? '',
    pms_url: environment['GENERIC_PMS_URL'] ?? '',
    payments_url: environment['PAYMENTS_URL'] ?? '',
    mail_url: environment['SMTP_URL'] === sandbox?.smtp_url ? (sandbox?.mail_url ?? '') : '',
    workers: workerFacts.map(({ queues = [], monitoring_url = '' }, at) => ({
      name: layout[at]![0],
      queues,
      url: monitoring_url,
    })),
    started_at: new Date().toISOString(),
  }
  home.publish(running, environment)
  const isDefaultHome = home.path === join(root, '.vacancy')
  const isSandboxIssuer = running.issuer === sandbox?.issuer
  progress.print(
    { ready: running },
    summarize(running, {
      seconds: (performance.now() - startedAt) / 1000,
      home: home.path,
      prefix: `${port === 3000 ? '' : `PORT=${port} `}${isDefaultHome ? '' : `VACANCY_HOME=${home.path} `}`,
      people: isSandboxIssuer ? listSandboxPeople(home) : [],
      paint: progress.paint,
    }),
  )
}

/** Without METRICS_PORT each worker takes the first free port from 9464 on; with it, they count up from it. 0 is any port. */
const metricsPortOf = ({ METRICS_PORT: first }: Environment, index: number): Environment =>
  Number(first) > 0 ? { METRICS_PORT: String(Number(first) + index) } : {}

/** Prefers the ports of the last start, so that addresses and tokens stay valid. */
async function choosePorts(last: Ports, port: number) {
  const identity = await findFreePort(last.identity, port + 1)
  const pms = await findFreePort(last.pms, port + 2)
  const payments = await findFreePort(last.payments, port + 3)
  const mail = await findFreePort(last.mail, port + 4)
  const smtp = await findFreePort(last.smtp, port + 5)
  return { identity, pms, payments, mail, smtp }
}

async function openDatabase(context: StartContext, ports: { mail: number }) {
  const { config, env, home, progress } = context
  const given = env['DATABASE_OWNER_URL'] || env['DATABASE_DIRECT_URL'] || env['DATABASE_URL']
  const embedded = given ? undefined : await superviseDatabase(context)
  const { url, port } = embedded ?? { url: given ?? '', port: undefined }
  const seed = demonstrationFor(config, {
    isEmbedded: embedded !== undefined,
    secretKeys: env['SECRET_KEYS'] || home.secrets.secret_keys,
    mailPort: ports.mail,
  })
  const { seeded, payments } = await progress.step(
    () => prepareDatabase({ url, seed }),
    ({ applied, seeded }) =>
      `Database up to date${applied.length > 0 ? ` (${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'})` : ''}` +
      (seeded ? ', with demonstration data' : ''),
  )
  return { url: env['DATABASE_URL'] || url, port, seeded: seeded ? seed?.extent : undefined, payments }
}

async function openSandbox(
  context: StartContext,
  ports: Record<'identity' | 'pms' | 'payments' | 'mail' | 'smtp', number>,
  port: number,
) {
  const { env, root, home, progress, components } = context
  if (env['OIDC_ISSUER'] && env['GENERIC_PMS_URL'] && env['PAYMENTS_URL'] && env['SMTP_URL']) return undefined
  saveSandboxPeople(home)
  const sandbox = startChild<SandboxFacts>({
    ...childOptions(context, 'sandbox'),
    maxSemiSpaceMb: 2,
    maxHeapMb: 1_024,
    file: join(root, 'sandbox', 'bin', 'sandbox.ts'),
    env: {
      ...env,
      SANDBOX_HOME: home.file('sandbox'),
      SANDBOX_IDENTITY_PORT: String(ports.identity),
      SANDBOX_PMS_PORT: String(ports.pms),
      SANDBOX_PAYMENTS_PORT: String(ports.payments),
      SANDBOX_PAYMENTS_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/payments`,
      SANDBOX_PAYMENTS_WEBHOOK_SECRET:
        env['PAYMENTS_WEBHOOK_SECRET']?.split(',')[0]?.trim() || paymentsWebhookSecret(home.secrets),
      SANDBOX_MAIL_PORT: String(ports.mail),
      SANDBOX_SMTP_PORT: String(ports.smtp),
      SANDBOX_PEOPLE: home.file('people.json'),
      SANDBOX_CONSOLE_ORIGIN: env['PUBLIC_URL'] || `http://localhost:${port}`,
      SANDBOX_AUDIENCE: env['OIDC_AUDIENCE'] || developmentAudience,
      ...(env['OIDC_CLIENT_ID'] && { SANDBOX_CLIENT_ID: env['OIDC_CLIENT_ID'] }),
      ...(env['OIDC_SCOPES'] && { SANDBOX_SCOPES: env['OIDC_SCOPES'] }),
    },
  })
  await components.add({ name: 'sandbox', stop: sandbox.stop, timeoutMs: 1_000 })
  return progress.step(
    () => sandbox.ready,
    () => 'Sandbox ready (identity provider, PMS, payments, mail)',
  )
}

async function prepareConsole({ root, home, progress }: StartContext) {
  const logPath = join(home.path, 'logs', 'console-build.log')
  const messages = {
    built: 'Console built',
    current: 'Console is up to date',
    absent: 'No console in this checkout',
  }
  const built: ConsoleBuild = await progress.step(
    () => buildConsole(root, logPath),
    (result) => (typeof result === 'string' ? messages[result] : 'Console build failed'),
  )
  if (typeof built === 'object') {
    progress.notice(
      `The console could not be built (${built.failedBecause}); the API works without it. See ${logPath}`,
    )
  }
}

const childOptions = ({ home, progress, fail }: StartContext, name: string) => ({
  name,
  logPath: join(home.path, 'logs', `${name.toLowerCase().replace(' ', '-')}.log`),
  notify: progress.notice,
  onFailure: fail,
})

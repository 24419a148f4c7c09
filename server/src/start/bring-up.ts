// The order in which the parts of the product come up.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { people } from '#seed/people.ts'
import { startChild, type Child } from './child.ts'
import { buildConsole, type ConsoleBuild } from './console-build.ts'
import { keepDatabase } from './keep-database.ts'
import { developmentAudience, madeEnvironment, paymentsSecretOf, type Environment } from './environment.ts'
import type { Ports } from './home.ts'
import { findFreePort } from './ports.ts'
import { prepareDatabase } from './prepare-database.ts'
import type { Start } from './one-start.ts'
import type { Part } from './parts.ts'
import { summarize } from './summary.ts'

type SandboxFacts = {
  issuer: string
  pms_url: string
  payments_url: string
  mail_url: string
  smtp_url: string
}

/** What a process says when it is ready. */
type Facts = { url?: string; queues?: string[]; monitoring_url?: string }

/** The interface names a worker process each for the PMS, payments and notifications; the rest goes with the last. */
const workerProcesses = [
  ['sync worker', ['sync']],
  ['payment worker', ['payments']],
  ['notification worker', ['notifications', 'webhooks', 'upkeep']],
] as const
/** One for every queue. */
const singleWorker = ['worker', []] as const

export async function bringUp(start: Start) {
  const startedAt = performance.now()
  const { env, root, home, progress, parts } = start
  const port = start.port || (await findFreePort())
  const ports = await choosePorts(home.ports, port)
  const [database, sandbox] = await Promise.all([
    openDatabase(start),
    openSandbox(start, ports, port),
    buildFrontDoor(start),
  ])
  home.rememberPorts({
    ...ports,
    ...(database.port && { postgres: database.port }),
  })

  const environment = madeEnvironment(env, {
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
  const child = (name: Part['name'], file: string, args: readonly string[] = [], own: Environment = {}) =>
    startChild<Facts>({
      ...watched(start, name),
      file: join(root, 'server', 'bin', file),
      args: [...args],
      youngMegabytes: 8,
      env: { ...env, ...environment, ...own },
    })
  const workers: Child<Facts>[] = []
  const arrangement = start.hasSingleWorker ? [singleWorker] : workerProcesses
  for (const [name, queues] of arrangement) {
    const worker = child(name, 'worker.ts', queues, metricsPort(env, workers.length))
    await parts.add({ name, stop: worker.stop, timeoutMs: 2_500 })
    workers.push(worker)
  }
  const api = child('API', 'api.ts')
  await parts.add({ name: 'API', stop: api.stop, timeoutMs: 4_000 })
  const [monitored] = await Promise.all([
    progress.step(
      () => Promise.all(workers.map(({ ready }) => ready)),
      () => (workers.length > 1 ? `${workers.length} workers ready` : 'Worker ready'),
    ),
    progress.step(
      () => api.ready,
      () => `API serves on port ${port}`,
    ),
  ])

  const running = {
    pid: process.pid,
    port,
    api_url: `http://localhost:${port}`,
    issuer: environment['OIDC_ISSUER'] ?? '',
    audience: environment['OIDC_AUDIENCE'] ?? '',
    pms_url: environment['PMS_SANDBOX_URL'] ?? '',
    payments_url: environment['PAYMENTS_URL'] ?? '',
    mail_url: environment['SMTP_URL'] === sandbox?.smtp_url ? (sandbox?.mail_url ?? '') : '',
    workers: monitored.map(({ queues = [], monitoring_url = '' }, at) => ({
      name: arrangement[at]![0],
      queues,
      url: monitoring_url,
    })),
    started_at: new Date().toISOString(),
  }
  home.announce(running, environment)
  const isDefaultHome = home.path === join(root, '.vacancy')
  const ownIssuer = running.issuer === sandbox?.issuer
  progress.print(
    { ready: running },
    summarize(running, {
      seconds: (performance.now() - startedAt) / 1000,
      home: home.path,
      prefix: `${port === 3000 ? '' : `PORT=${port} `}${isDefaultHome ? '' : `VACANCY_HOME=${home.path} `}`,
      people: ownIssuer ? people : [],
      paint: progress.paint,
    }),
  )
}

/** Workers take the first free port from 9464 on by themselves; from a port that was set, each has the next one. */
const metricsPort = ({ METRICS_PORT: first }: Environment, index: number): Environment =>
  first ? { METRICS_PORT: String(Number(first) + index) } : {}

/** The remembered ports keep addresses and tokens valid over a restart. */
async function choosePorts(kept: Ports, port: number) {
  const identity = await findFreePort(kept.identity, port + 1)
  const pms = await findFreePort(kept.pms, port + 2)
  const payments = await findFreePort(kept.payments, port + 3)
  const mail = await findFreePort(kept.mail, port + 4)
  const smtp = await findFreePort(kept.smtp, port + 5)
  return { identity, pms, payments, mail, smtp }
}

async function openDatabase(start: Start) {
  const { env, home, progress } = start
  const given = env['DATABASE_OWNER_URL'] || env['DATABASE_DIRECT_URL'] || env['DATABASE_URL']
  const embedded = given ? undefined : await keepDatabase(start)
  const { url, port } = embedded ?? { url: given ?? '', port: undefined }
  const seeds = embedded !== undefined || env['VACANCY_SEED'] === 'true'
  await progress.step(
    () => prepareDatabase({ url, seeds }),
    ({ applied, seeded }) =>
      `Database up to date${applied.length > 0 ? ` (${applied.length} migrations)` : ''}` +
      (seeded ? ', with a demonstration portfolio' : ''),
  )
  return { url: env['DATABASE_URL'] || url, port, home }
}

async function openSandbox(
  start: Start,
  ports: Record<'identity' | 'pms' | 'payments' | 'mail' | 'smtp', number>,
  port: number,
) {
  const { env, root, home, progress, parts } = start
  if (env['OIDC_ISSUER'] && env['PMS_SANDBOX_URL'] && env['PAYMENTS_URL'] && env['SMTP_URL']) return undefined
  writeFileSync(home.file('people.json'), JSON.stringify(people, null, 2))
  const sandbox = startChild<SandboxFacts>({
    ...watched(start, 'sandbox'),
    youngMegabytes: 2,
    file: join(root, 'sandbox', 'bin', 'sandbox.ts'),
    env: {
      ...env,
      SANDBOX_HOME: home.file('sandbox'),
      SANDBOX_IDENTITY_PORT: String(ports.identity),
      SANDBOX_PMS_PORT: String(ports.pms),
      SANDBOX_PAYMENTS_PORT: String(ports.payments),
      SANDBOX_PAYMENTS_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/payments`,
      SANDBOX_PAYMENTS_WEBHOOK_SECRET:
        env['PAYMENTS_WEBHOOK_SECRET']?.split(',')[0]?.trim() || paymentsSecretOf(home.secrets),
      SANDBOX_MAIL_PORT: String(ports.mail),
      SANDBOX_SMTP_PORT: String(ports.smtp),
      SANDBOX_PEOPLE: home.file('people.json'),
      SANDBOX_CONSOLE_ORIGIN: env['PUBLIC_URL'] || `http://localhost:${port}`,
      SANDBOX_AUDIENCE: env['OIDC_AUDIENCE'] || developmentAudience,
    },
  })
  await parts.add({ name: 'sandbox', stop: sandbox.stop, timeoutMs: 1_000 })
  return progress.step(
    () => sandbox.ready,
    () => 'Identity provider and stand-ins ready',
  )
}

async function buildFrontDoor({ root, home, progress }: Start) {
  const logPath = join(home.path, 'logs', 'console-build.log')
  const words = {
    built: 'Console built',
    current: 'Console is current',
    absent: 'No console in this checkout',
  }
  const built: ConsoleBuild = await progress.step(
    () => buildConsole(root, logPath),
    (result) => (typeof result === 'string' ? words[result] : 'Console build tried'),
  )
  if (typeof built === 'object') {
    progress.notice(
      `The console could not be built (${built.failedBecause}); the API works without it. See ${logPath}`,
    )
  }
}

const watched = ({ home, progress, fail }: Start, name: string) => ({
  name,
  logPath: join(home.path, 'logs', `${name.toLowerCase().replace(' ', '-')}.log`),
  tell: progress.notice,
  giveUp: fail,
})

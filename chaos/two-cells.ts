import { mkdirSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { callerFor, type TestCaller } from '../server/test/caller.ts'
import { runCommand } from '../server/test/run-command.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { acceptsConnections, findProgram, programProcess, root } from './managed-process.ts'
import { reservePort } from '../server/test/reserve-port.ts'
import { recordPushes, type RecordedPush } from './pms-recorder.ts'

export type CellName = 'main' | 'second'

/** Two installations behind HAProxy with the configuration of deploy/cells, one PMS and one identity provider. */
export interface TwoCells extends AsyncDisposable {
  main: Cluster
  second: Cluster
  /** That of HAProxy, which people open. */
  url: string
  /** A client of the organization, through HAProxy or at one cell. */
  clientOf(organization: Cluster['organization'], at?: CellName): Promise<TestCaller>
  /** The pushes of both cells, in the order in which they reached the PMS. */
  pushes: readonly RecordedPush[]
  /** Runs `vacancy org move` with the settings of a cell; resolves with what it printed. */
  move(from: CellName, ...args: string[]): Promise<{ frozen_ms?: number }>
}

/** The public host of each cell. */
const hosts: Readonly<Record<string, CellName>> = { '127.0.0.1': 'main', localhost: 'second' }

export async function openTwoCells(): Promise<TwoCells> {
  await using opened = new AsyncDisposableStack()
  const common = {
    SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    INTERNAL_SERVICE_TOKEN: randomBytes(16).toString('hex'),
  }
  const pushes: RecordedPush[] = []
  const size = { apis: 1, workers: 1 }
  const main = opened.use(
    await openCluster({
      ...{ ...size, env: common },
      intercept: async (part, url) =>
        part === 'pms' ? opened.use(await recordPushes('main', url, pushes)).url : url,
    }),
  )
  const shared = {
    ...{ OIDC_ISSUER: main.issuer.issuer, OIDC_AUDIENCE: main.issuer.audience },
    PAYMENTS_URL: main.sandbox.paymentsUrl,
  }
  const { url: pmsUrl } = opened.use(await recordPushes('second', main.sandbox.pmsUrl, pushes))
  const env = { ...common, ...shared, GENERIC_PMS_URL: pmsUrl }
  const second = opened.use(await openCluster({ ...size, env }))
  const cells = { main, second }

  const environmentOf = ({ postgres, home }: Cluster) => ({
    ...{ ...common, ...shared, DATABASE_URL: postgres.url(), VACANCY_HOME: join(home, 'vacancy') },
  })
  const router = await startRouter(cells, opened)
  // The provider of payments sends every notice to the public host of each cell.
  const notices = Object.keys(hosts).map((host) => `http://${host}:${router.port}/webhooks/payments`)
  await fetch(`${main.sandbox.paymentsUrl}/_control/webhooks`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: notices.join() }),
  })
  return {
    ...cells,
    url: router.url,
    pushes,
    clientOf: async ({ id, accountId }, at) =>
      callerFor(
        at === undefined ? router.url : cells[at].clients[0]!.url,
        await main.token({ org_id: id, account_id: accountId }),
        { 'x-internal-token': common.INTERNAL_SERVICE_TOKEN },
      ),
    async move(from, ...args) {
      const to = from === 'main' ? 'second' : 'main'
      const path = join(main.home, `${to}.env`)
      writeFileSync(
        path,
        Object.entries(environmentOf(cells[to]))
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      )
      const target = args.includes('--finish') ? [] : ['--to', to, '--environment', path, ...router.options]
      const { code, out, output } = await runCommand(
        ['org', 'move', main.organization.id, ...target, ...args, '--json'],
        environmentOf(cells[from]),
      )
      if (code !== 0) throw new Error(`org move ${args.join(' ')} from ${from}: ${output}`)
      return JSON.parse(out) as { frozen_ms?: number }
    },
    [Symbol.asyncDispose]: (
      (all) => () =>
        all.disposeAsync()
    )(opened.move()),
  }
}

async function startRouter({ main, second }: Record<CellName, Cluster>, opened: AsyncDisposableStack) {
  const maps = join(main.home, 'cells')
  mkdirSync(maps)
  writeFileSync(
    join(maps, 'hosts.map'),
    Object.entries(hosts)
      .map((entry) => `${entry.join(' ')}\n`)
      .join(''),
  )
  writeFileSync(join(maps, 'keys.map'), `${second.organization.id} second\n`)
  const port = await reservePort()
  const socket = join(maps, 'admin.sock')
  const address = ({ clients }: Cluster) => new URL(clients[0]!.url).host
  const haproxy = programProcess({
    ...{ name: 'haproxy', program: findProgram('haproxy')!, home: main.home },
    args: ['-f', join(root, 'deploy/cells/haproxy.cfg')],
    env: {
      ...{ LISTEN: `127.0.0.1:${port}`, CELL_MAPS: maps, ROUTER_SOCKET: socket, MAX_CONNECTIONS: '1000' },
      ...{ MAIN_ADDRESS: address(main), SECOND_ADDRESS: address(second) },
    },
    isReady: () => acceptsConnections(port),
  })
  opened.defer(async () => void (await haproxy.kill('SIGTERM')))
  await haproxy.start()
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    options: ['--map', join(maps, 'keys.map'), '--router', socket],
  }
}

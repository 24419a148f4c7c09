import { chmodSync, chownSync, cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { signal, waitForExit } from '../server/src/start/processes.ts'
import { unprivilegedUser } from '../server/test/own-cluster.ts'
import { acceptsConnections, findProgram, programProcess, root } from './managed-process.ts'
import { reservePort } from '../server/test/reserve-port.ts'
import type { ManagedProcess } from './managed-process.ts'
import { childrenOf } from './postgres-process.ts'

export const configurationFolder = resolve(root, 'deploy/high-availability')

/** What is killed: PostgreSQL, its Patroni while PostgreSQL goes on, or both, as when a machine is lost. */
export type KilledPart = 'postgres' | 'patroni' | 'machine'

interface PatroniMember {
  name: string
  port: number
  restPort: number
  patroni: ManagedProcess
  /** The process of its PostgreSQL. */
  postmasterPid(): number
  kill(part: KilledPart): Promise<void>
}

/** Two PostgreSQL with synchronous replication under Patroni, with the configuration of deploy/high-availability. */
export interface PatroniCluster extends AsyncDisposable {
  members: readonly PatroniMember[]
  /** The member that Patroni on any of them calls the leader. */
  findLeader(): Promise<PatroniMember | undefined>
  /** Whether a leader and a synchronous standby run, so that the next kill loses nothing. */
  isRedundant(): Promise<boolean>
}

/** The packages that are not installed here. */
export const findMissingPackages = (): string[] =>
  Object.entries({ patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', pgbouncer: 'pgbouncer' })
    .filter(([program]) => findProgram(program) === undefined)
    .map(([, name]) => name)
    .concat(globSync('/usr/lib/postgresql/*/bin/pg_rewind').length === 0 ? ['postgresql'] : [])

export async function startPatroni(home: string, password: string): Promise<PatroniCluster> {
  await using parts = new AsyncDisposableStack()
  const start = async (part: ManagedProcess) => {
    parts.defer(async () => void (await part.kill('SIGTERM')))
    await part.start()
  }
  const [etcdPort, peerPort] = [await reservePort(), await reservePort()]
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const etcd = programProcess({
    ...{ name: 'etcd', program: findProgram('etcd')!, home, isReady: () => acceptsConnections(etcdPort) },
    args: Object.entries({
      ...{ name: 'etcd', 'data-dir': join(home, 'etcd'), 'initial-cluster': `etcd=${peerUrl}` },
      ...{ 'listen-client-urls': etcdUrl, 'advertise-client-urls': etcdUrl },
      ...{ 'listen-peer-urls': peerUrl, 'initial-advertise-peer-urls': peerUrl },
    }).flatMap(([name, value]) => [`--${name}`, value]),
  })
  await start(etcd)

  const runAs = unprivilegedUser()
  const folder = join(home, 'patroni')
  const give = (path: string) => runAs && chownSync(path, runAs.uid, runAs.gid)
  chmodSync(home, 0o711)
  mkdirSync(folder, { mode: 0o700 })
  give(folder)
  // The user of PostgreSQL may not be allowed to enter the repository.
  const settingsPath = join(folder, 'patroni.yaml')
  cpSync(join(configurationFolder, 'patroni.yaml'), settingsPath)
  give(settingsPath)
  const binDir = dirname(globSync('/usr/lib/postgresql/*/bin/pg_rewind').at(-1)!)
  const members: PatroniMember[] = []
  for (const name of ['pg1', 'pg2']) {
    const [port, restPort] = [await reservePort(), await reservePort()]
    const dataDir = join(folder, name)
    const patroni = programProcess({
      ...{ name: `patroni-${name}`, program: findProgram('patroni')!, home, runAs, args: [settingsPath] },
      env: {
        PATRONI_NAME: name,
        PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
        PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
        PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
        PATRONI_POSTGRESQL_DATA_DIR: dataDir,
        PATRONI_POSTGRESQL_BIN_DIR: binDir,
        PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
        PATRONI_SUPERUSER_USERNAME: 'vacancy',
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_USERNAME: 'replicator',
        PATRONI_REPLICATION_PASSWORD: password,
        PATRONI_REWIND_USERNAME: 'rewinder',
        PATRONI_REWIND_PASSWORD: password,
      },
      isReady: () => acceptsConnections(restPort),
    })
    const postmasterPid = () => Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
    members.push({
      ...{ name, port, restPort, patroni, postmasterPid },
      async kill(part) {
        if (part !== 'postgres') await patroni.kill('SIGKILL')
        if (part === 'patroni') return
        const pid = postmasterPid()
        // The server first, so that it cannot recover from the end of its children.
        const all = [pid, ...childrenOf(pid)]
        for (const one of all) signal(one, 'SIGKILL')
        for (const one of all) await waitForExit(one, 5_000)
      },
    })
    await start(patroni)
  }

  const listStates = async (): Promise<{ name: string; role: string; state: string }[]> => {
    for (const { restPort } of members) {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined)
      if (response?.ok)
        return ((await response.json()) as { members: Awaited<ReturnType<typeof listStates>> }).members
    }
    return []
  }
  const isRedundant = async () => {
    const states = await listStates()
    return (
      states.some(({ role, state }) => role === 'leader' && state === 'running') &&
      states.some(({ role, state }) => role === 'sync_standby' && ['running', 'streaming'].includes(state))
    )
  }
  const opened = parts.move()
  return {
    members,
    isRedundant,
    async findLeader() {
      const leader = (await listStates()).find(({ role, state }) => role === 'leader' && state === 'running')
      return members.find(({ name }) => name === leader?.name)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { signalOnExit } from '#start/signal-on-exit.ts'
import { reservePort } from './reserve-port.ts'
import { removeFolder } from './remove-folder.ts'

/** Where an operator's own PostgreSQL is installed; without it the runner says so at its end, and CI does not begin. */
export const ownPostgres: string | undefined = process.env['TEST_PG_CTL']

export interface Cluster {
  /** Of the database `postgres`, as its owner. */
  readonly url: string
  stop(): Promise<void>
}

export interface Workshop extends AsyncDisposable {
  /** A cluster that archives its write-ahead log, for restores to any point in time. */
  start(): Promise<Cluster>
  /** A cluster for the databases of many test files. */
  startForMany(): Promise<Cluster>
  /** A standby that replicates the running cluster. */
  follow(cluster: Cluster): Promise<Cluster>
  /** A copy of the running cluster. */
  backUp(cluster: Cluster): Promise<void>
  /** Another cluster from that copy and the log, as it was at a point in time. */
  restore(moment: string): Promise<Cluster>
}

/** Runs the programs of an installed PostgreSQL, and deploy/backup.sh, in a temporary folder. */
export function openWorkshop(pgCtl: string, parent = tmpdir()): Workshop {
  const runAs = unprivilegedUser()
  const folder = mkdtempSync(join(parent, 'vacancy-postgres-'))
  const place = (name: string) => join(folder, name)
  const give = (path: string, mode: number) => {
    chmodSync(path, mode)
    if (runAs) chownSync(path, runAs.uid, runAs.gid)
  }
  const make = (name: string) => (mkdirSync(place(name)), give(place(name), 0o700))
  give(folder, 0o711)
  make('backup')
  make('backup/wal')
  // The user of PostgreSQL may not be allowed to enter the repository.
  cpSync(resolve(import.meta.dirname, '../../deploy/backup.sh'), place('backup.sh'))
  give(place('backup.sh'), 0o755)
  const run = async (program: string, ...args: string[]) => {
    await promisify(execFile)(resolve(dirname(pgCtl), program), args, {
      ...runAs,
      cwd: '/',
      env: { LC_ALL: 'C', PATH: `${dirname(pgCtl)}:${process.env['PATH']}` },
    })
  }
  const create = async (name: string, settings: string[]) => {
    make(name)
    const options = ['-U', 'vacancy', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    await run('initdb', '-D', place(name), ...options)
    appendFileSync(join(place(name), 'postgresql.conf'), ['fsync = off', ...settings, ''].join('\n'))
  }
  const running: Cluster[] = []
  const begin = async (name: string): Promise<Cluster> => {
    const port = await reservePort()
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`
    await run(
      'pg_ctl',
      '-D',
      place(name),
      '-w',
      '-t',
      '120',
      '-l',
      join(place(name), 'output'),
      '-o',
      options,
      'start',
    )
    // pg_ctl leaves the server behind as a process of its own.
    const pid = Number.parseInt(readFileSync(join(place(name), 'postmaster.pid'), 'utf8'), 10)
    const exitSignal = signalOnExit(pid, 'INT')
    let isRunning = true
    const cluster = {
      url: `postgres://vacancy@127.0.0.1:${port}/postgres`,
      async stop() {
        if (!isRunning) return
        isRunning = false
        exitSignal.cancel()
        await run('pg_ctl', '-D', place(name), '-w', '-m', 'immediate', 'stop')
      },
    }
    running.push(cluster)
    return cluster
  }
  return {
    async start() {
      const command = `${place('backup.sh')} archive ${place('backup')} %p %f`
      await create('first', ['archive_mode = on', `archive_command = '${command}'`])
      return await begin('first')
    },
    async startForMany() {
      await create('many', ['max_connections = 400'])
      return await begin('many')
    },
    async follow({ url }) {
      await run(
        'pg_basebackup',
        '-D',
        place('standby'),
        '-d',
        url,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      )
      return await begin('standby')
    },
    backUp: ({ url }) => run(place('backup.sh'), 'base', place('backup'), url),
    async restore(moment) {
      await run(place('backup.sh'), 'restore', place('backup'), place('second'), moment)
      return await begin('second')
    },
    async [Symbol.asyncDispose]() {
      for (const cluster of running) await cluster.stop()
      removeFolder(folder)
    },
  }
}

/** The user for programs that refuse to run as root: the one of the PostgreSQL package. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

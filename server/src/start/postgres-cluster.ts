/** Creates an empty PostgreSQL cluster with one database and an owner that has a password. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './postgres-binaries.ts'

export interface Credentials {
  user: string
  password: string
  database: string
}

interface Cluster {
  binaries: Binaries
  dataDir: string
  credentials: Credentials
  isDurable: boolean
}

/** Returns false when there is a cluster already. One that an interrupted attempt left holds no data and is replaced. */
export async function createCluster({ binaries, dataDir, credentials, isDurable }: Cluster) {
  const unfinished = join(dataDir, '..', 'postgres-unfinished')
  if (fs.existsSync(join(dataDir, 'PG_VERSION')) && !fs.existsSync(unfinished)) return false
  fs.writeFileSync(unfinished, '')
  emptyFolder(dataDir)
  const { user, password, database } = credentials
  const passwordPath = join(dataDir, '..', 'postgres-password')
  writePrivateFile(binaries, passwordPath, password)
  try {
    await run(binaries, 'initdb', [
      ...['-D', dataDir, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordPath}`, '-E', 'UTF8'],
      ...[
        '--locale-provider=builtin',
        '--locale=C.UTF-8',
        '--no-instructions',
        '-c',
        'scram_iterations=1024',
      ],
      ...(isDurable ? [] : ['--no-sync']),
    ])
  } finally {
    fs.rmSync(passwordPath, { force: true })
  }
  const single = ['--single', '-D', dataDir, '-c', `fsync=${isDurable ? 'on' : 'off'}`, 'postgres']
  await run(binaries, 'postgres', single, `create database "${database}"\n`)
  fs.rmSync(unfinished)
  return true
}

/** For the password, which must not appear on a command line. Only PostgreSQL can read the file. */
function writePrivateFile({ runAs }: Binaries, path: string, text: string) {
  fs.rmSync(path, { force: true })
  const file = fs.openSync(path, 'wx', 0o600)
  if (runAs) fs.fchownSync(file, runAs.uid, runAs.gid)
  fs.writeSync(file, text)
  fs.closeSync(file)
}

function emptyFolder(dataDir: string) {
  for (const name of fs.readdirSync(dataDir)) {
    fs.rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

function run({ bin, runAs }: Binaries, program: string, args: string[], input = '') {
  const child = spawn(join(bin, program), args, {
    uid: runAs?.uid,
    gid: runAs?.gid,
    cwd: '/',
    detached: true,
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 && !/ERROR|FATAL/.test(output)
        ? resolve()
        : reject(
            new Error(
              `PostgreSQL could not be set up in ${args[1]} (${program}): ${output.trim().slice(-600)}`,
            ),
          ),
    )
  })
}

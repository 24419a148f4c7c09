// install: how long does `npm start` install on a new clone, and how much disk does it use?
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../server/src/start/ports.ts'
import { reportVerdict } from './bench-world.ts'

const root = resolve(import.meta.dirname, '..')
const maxSeconds = 20
const maxMegabytes = 400

const folder = mkdtempSync(join(tmpdir(), 'vacancy-install-'))
try {
  // The clone has what is committed. Packages come from npm's cache where it has them.
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder])
  rmSync(join(folder, '.git'), { recursive: true })
  const port = String(await findFreePort())
  const env = { ...process.env, PORT: port, VACANCY_HOME: join(folder, '.vacancy') }
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1_000
  const product = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const until = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) {
      if (product.exitCode !== null) throw new Error(`npm start ended with ${product.exitCode}.`)
      await sleep(50)
    }
    return seconds()
  }
  const installed = await until(async () => existsSync(join(folder, 'node_modules/.vacancy-installed')))
  const megabytes = sizeOf(folder)
  const ready = await until(() =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  product.kill('SIGTERM')
  await once(product, 'exit')
  console.log(`ready ${ready.toFixed(1)} s after the command`)
  reportVerdict(
    installed <= maxSeconds && megabytes <= maxMegabytes,
    `installed in at most ${maxSeconds} s and ${maxMegabytes} MB: ${installed.toFixed(1)} s, ${megabytes} MB`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function sizeOf(path: string): number {
  return Number(/^\d+/.exec(execFileSync('du', ['-s', '--block-size=1MB', path], { encoding: 'utf8' }))![0])
}

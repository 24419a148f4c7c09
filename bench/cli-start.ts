// How long does the command line take to start, compared with Node itself?
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { withBenchWorld } from './bench-world.ts'

const rounds = 25
const command = resolve(import.meta.dirname, '../bin/vacancy')
const maxMs = 150

await withBenchWorld(async ({ world, operator }) => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-cli-start-'))
  const env = { ...process.env, VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: operator.token! }
  const variants: [name: string, program: string, args: string[]][] = [
    ['node -e 0', process.execPath, ['-e', '0']],
    ['vacancy --help', command, ['--help']],
    ['vacancy units list --help', command, ['units', 'list', '--help']],
    ['vacancy whoami', command, ['whoami']],
    ['vacancy units list', command, ['units', 'list']],
  ]
  const times = variants.map((): number[] => [])
  // The first round fills the compile cache.
  for (let round = 0; round <= rounds; round++)
    for (const [at, [name, program, args]] of variants.entries()) {
      const startedAt = performance.now()
      const [code] = (await once(spawn(program, args, { env, stdio: 'ignore' }), 'close')) as [number]
      if (code !== 0) throw new Error(`${name} ended with ${code}.`)
      if (round > 0) times[at]!.push(performance.now() - startedAt)
    }
  rmSync(home, { recursive: true, force: true })
  const medians = times.map((list) => list.toSorted((one, other) => one - other)[Math.floor(rounds / 2)]!)
  for (const [at, [name]] of variants.entries())
    console.log(
      `${name.padEnd(28)}${medians[at]!.toFixed(0).padStart(5)} ms  ${(medians[at]! / medians[0]!).toFixed(2)} × Node`,
    )
  const slowest = Math.max(...medians)
  console.log(`The limit is ${maxMs} ms: ${slowest <= maxMs ? 'passed' : 'FAILED'}.`)
})

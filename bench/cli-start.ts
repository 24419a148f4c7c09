// How long does the command line take to start, compared with Node itself?
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { quantile, reportVerdict, withBenchWorld } from './bench-world.ts'

const rounds = 25
const command = resolve(import.meta.dirname, '../bin/vacancy')
const maxMs = 150
/** The request of `vacancy whoami`, as Node sends it. */
const bareRequest = `
  fetch(process.env.VACANCY_URL + '/api/v1/auth/session', {
    headers: { authorization: 'Bearer ' + process.env.VACANCY_TOKEN },
  }).then((response) => response.text())`

interface Variant {
  readonly name: string
  readonly program?: string
  readonly args: string[]
  readonly sendsRequest?: boolean
}

await withBenchWorld(async ({ world, operator }) => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-cli-start-'))
  const env = { ...process.env, VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: operator.token! }
  const node: Variant = { name: 'node -e 0', program: process.execPath, args: ['-e', '0'] }
  const request: Variant = { name: 'node: fetch', program: process.execPath, args: ['-e', bareRequest] }
  const commands: Variant[] = [
    { name: 'vacancy --help', args: ['--help'] },
    { name: 'vacancy units list --help', args: ['units', 'list', '--help'] },
    { name: 'vacancy whoami', args: ['whoami'], sendsRequest: true },
    { name: 'vacancy units list', args: ['units', 'list'], sendsRequest: true },
  ]
  const times = new Map<Variant, number[]>([node, request, ...commands].map((variant) => [variant, []]))
  // The first round fills the compile cache.
  for (let round = 0; round <= rounds; round++)
    for (const [{ name, program = command, args }, measured] of times) {
      const startedAt = performance.now()
      const [code] = (await once(spawn(program, args, { env, stdio: 'ignore' }), 'close')) as [number]
      if (code !== 0) throw new Error(`${name} ended with ${code}.`)
      if (round > 0) measured.push(performance.now() - startedAt)
    }
  rmSync(home, { recursive: true, force: true })
  const medianOf = (variant: Variant) => quantile(times.get(variant)!, 0.5)
  /** A start ends where the request begins. */
  const startOf = (variant: Variant) =>
    medianOf(variant) - (variant.sendsRequest ? medianOf(request) - medianOf(node) : 0)
  console.log('| | ms | × Node | ms without the request |\n|---|--:|--:|--:|')
  for (const variant of times.keys()) {
    const cells = [medianOf(variant).toFixed(0), (medianOf(variant) / medianOf(node)).toFixed(1)]
    const start = variant === request ? '' : startOf(variant).toFixed(0)
    console.log(`| ${[variant.name, ...cells, start].join(' | ')} |`)
  }
  const slowest = Math.max(...commands.map(startOf))
  reportVerdict(slowest <= maxMs, `a command starts in at most ${maxMs} ms: ${slowest.toFixed(0)} ms`)
})

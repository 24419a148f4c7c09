import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { basename } from 'node:path'
import type { Finding } from './ledger.ts'
import type { Load, Tally } from './load.ts'

/** What a scenario was asked for, and where it puts what it found. */
export interface Scene {
  /** How often to strike. */
  loops: number
  isShort: boolean
  /** What follows `--name` on the command line, or the fallback. */
  option(name: string, fallback: string): string
  /** Something that must be true. */
  verdict(name: string, holds: boolean, found: string): void
  verdicts(findings: readonly Finding[]): void
  /** Something worth knowing. */
  figure(name: string, value: string | number): void
}

export interface Report {
  name: string
  findings: Finding[]
  figures: Record<string, string | number>
  seconds: number
  load: string
}

/**
 * One scenario from start to report: prints a table with a verdict for each promise, and ends with 1 when one is missed.
 * `--short` strikes less often, `--loops n` as often as told, `--json file` leaves the report for `npm run chaos`.
 */
export async function scenario(
  module: ImportMeta,
  count: { loops: number; short: number },
  play: (scene: Scene) => Promise<void>,
): Promise<void> {
  const args = process.argv.slice(2)
  const option: Scene['option'] = (name, fallback) => {
    const at = args.indexOf(`--${name}`)
    return at < 0 ? fallback : (args[at + 1] ?? fallback)
  }
  const isShort = args.includes('--short')
  const report: Report = {
    ...{ name: basename(module.filename, '.ts'), findings: [], figures: {}, seconds: 0, load: '' },
  }
  const startedAt = performance.now()
  const verdict: Scene['verdict'] = (name, holds, found) => {
    report.findings.push({ name, holds, found })
    console.log(`${holds ? 'holds ' : 'MISSED'}  ${name}: ${found}`)
  }
  try {
    await play({
      ...{
        isShort,
        option,
        verdict,
        loops: Number(option('loops', String(isShort ? count.short : count.loops))),
      },
      verdicts: (findings) => findings.forEach(({ name, holds, found }) => verdict(name, holds, found)),
      figure(name, value) {
        report.figures[name] = value
        console.log(`        ${name}: ${value}`)
      },
    })
  } catch (error) {
    console.error(error)
    verdict('it could be played to its end', false, (error as Error).message)
  }
  report.seconds = Math.round((performance.now() - startedAt) / 1_000)
  report.load = loadavg()[0]!.toFixed(1)
  const path = option('json', '')
  if (path) writeFileSync(path, JSON.stringify(report))
  if (report.findings.some(({ holds }) => !holds)) process.exitCode = 1
  // A part that is still open would keep the process alive for nothing.
  setTimeout(() => process.exit(), 2_000).unref()
}

/** What clients saw meanwhile, in one line. */
export function tellTally({ tally }: Pick<Load, 'tally'>): string {
  const failures = [...tally.failures].map(([status, times]) => `${times} × ${status}`)
  return [
    `${tally.asked} requests`,
    `${tally.refused} refused`,
    `${tally.lost} lost`,
    ...failures,
    `slowest ${Math.round(tally.slowestMs)} ms`,
  ].join(', ')
}

export const hasNoFailure = ({ lost, failures }: Tally): boolean => lost === 0 && failures.size === 0

/** The middle and the worst of some times. */
export function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN)
  return `p50 ${at(0.5)} ms, worst ${at(1)} ms of ${times.length}`
}

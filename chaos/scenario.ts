import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { basename } from 'node:path'
import type { Finding } from './ledger.ts'
import type { Load, Tally } from './load.ts'

/** The options of a scenario, and where it reports its results. */
export interface ScenarioContext {
  /** How often the fault is applied. */
  loops: number
  isShort: boolean
  /** The value of `--name` on the command line, or the fallback. */
  option(name: string, fallback: string): string
  /** Reports something that must be true. */
  verdict(name: string, passed: boolean, details: string): void
  verdicts(findings: readonly Finding[]): void
  /** Reports a measured value. */
  metric(name: string, value: string | number): void
}

export interface Report {
  name: string
  findings: Finding[]
  metrics: Record<string, string | number>
  seconds: number
  load: string
}

/**
 * Runs a scenario and prints its results. The exit code is 1 when a check failed. `--short` applies fewer faults,
 * `--loops n` sets their number, `--json file` writes the report for `npm run chaos`.
 */
export async function runScenario(
  module: ImportMeta,
  count: { loops: number; short: number },
  run: (context: ScenarioContext) => Promise<void>,
): Promise<void> {
  const args = process.argv.slice(2)
  const option: ScenarioContext['option'] = (name, fallback) => {
    const at = args.indexOf(`--${name}`)
    return at < 0 ? fallback : (args[at + 1] ?? fallback)
  }
  const isShort = args.includes('--short')
  const report: Report = {
    ...{ name: basename(module.filename, '.ts'), findings: [], metrics: {}, seconds: 0, load: '' },
  }
  const startedAt = performance.now()
  const verdict: ScenarioContext['verdict'] = (name, passed, details) => {
    report.findings.push({ name, passed, details })
    console.log(`${passed ? 'passed' : 'FAILED'}  ${name}: ${details}`)
  }
  try {
    await run({
      ...{
        isShort,
        option,
        verdict,
        loops: Number(option('loops', String(isShort ? count.short : count.loops))),
      },
      verdicts: (findings) => findings.forEach(({ name, passed, details }) => verdict(name, passed, details)),
      metric(name, value) {
        report.metrics[name] = value
        console.log(`        ${name}: ${value}`)
      },
    })
  } catch (error) {
    console.error(error)
    verdict('the scenario ran to its end', false, (error as Error).message)
  }
  report.seconds = Math.round((performance.now() - startedAt) / 1_000)
  report.load = loadavg()[0]!.toFixed(1)
  const path = option('json', '')
  if (path) writeFileSync(path, JSON.stringify(report))
  if (report.findings.some(({ passed }) => !passed)) process.exitCode = 1
  // An open resource would keep the process alive.
  setTimeout(() => process.exit(), 2_000).unref()
}

/** The outcomes of requests in one line. */
export function formatTally({ tally }: Pick<Load, 'tally'>): string {
  const failures = [...tally.failures].map(([status, times]) => `${times} × ${status}`)
  return [
    `${tally.sent} requests`,
    `${tally.refused} refused`,
    `${tally.lost} lost`,
    ...failures,
    `slowest ${Math.round(tally.slowestMs)} ms`,
  ].join(', ')
}

export const hasNoFailure = ({ lost, failures }: Tally): boolean => lost === 0 && failures.size === 0

/** The median and the maximum. */
export function formatTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN)
  return `p50 ${at(0.5)} ms, slowest ${at(1)} ms of ${times.length}`
}

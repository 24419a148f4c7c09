import type { Report } from './scenario.ts'

/** Formats reports as a Markdown table with a row for each check. */
export function formatReports(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ name, findings, metrics, seconds, load }) => [
    ...findings.map((finding, at) => [
      at === 0 ? `${name} (${seconds} s, load ${load})` : '',
      finding.name,
      finding.passed ? 'passed' : '**FAILED**',
      finding.details,
    ]),
    ...Object.entries(metrics).map(([metric, value]) => ['', metric, '', String(value)]),
  ])
  const table = [['Scenario', 'Check', 'Result', 'Details'], ['---', '---', '---', '---'], ...rows]
  const failed = reports
    .filter(({ findings }) => findings.some(({ passed }) => !passed))
    .map(({ name }) => name)
  const summary = failed.length === 0 ? 'Every check passed.' : `Failed: ${failed.join(', ')}.`
  return `${table.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')}\n\n${summary}`
}

const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

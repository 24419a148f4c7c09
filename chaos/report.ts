import type { Report } from './scenario.ts'

/** What was promised beside what was found, a row each. */
export function tableOf(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ name, findings, figures, seconds, load }) => [
    ...findings.map((finding, at) => [
      at === 0 ? `${name} (${seconds} s, load ${load})` : '',
      finding.name,
      finding.holds ? 'holds' : '**MISSED**',
      finding.found,
    ]),
    ...Object.entries(figures).map(([figure, value]) => ['', figure, '', String(value)]),
  ])
  const table = [['Scenario', 'Promise', 'Verdict', 'Found'], ['---', '---', '---', '---'], ...rows]
  const missed = reports
    .filter(({ findings }) => findings.some(({ holds }) => !holds))
    .map(({ name }) => name)
  const sum = missed.length === 0 ? 'Every promise holds.' : `Missed by ${missed.join(', ')}.`
  return `${table.map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n')}\n\n${sum}`
}

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

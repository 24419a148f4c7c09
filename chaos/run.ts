// npm run chaos [-- name… | --all | --short | --json file]: lists the scenarios, or runs those that are named.
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Report } from './scenario.ts'
import { formatReports } from './report.ts'

const files = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => questionOf(file) !== undefined)
  .sort()
const names = files.map((file) => basename(file, '.ts'))
const { requested, isAll, isShort, jsonPath } = parseArguments(process.argv.slice(2))
const unknown = requested.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`Unknown scenario: ${unknown.join(', ')}. Choose from ${names.join(', ')}.`)
  process.exitCode = 2
} else if (requested.length === 0 && !isAll) {
  const width = Math.max(...names.map(({ length }) => length)) + 2
  for (const file of files) console.log(`${basename(file, '.ts').padEnd(width)}${questionOf(file)}`)
  console.log('\nRun one with: npm run chaos -- <name>, all with --all, either with --short')
} else {
  const reports: Report[] = []
  for (const name of isAll ? names : requested) reports.push(await runScenario(name))
  const written = `${formatReports(reports)}\n${isShort ? 'Short. ' : ''}${cpus().length} processors, Node ${process.version}.\n`
  console.log(`\n${written}`)
  if (jsonPath) writeFileSync(jsonPath, JSON.stringify(reports, null, 2))
  if (isAll)
    writeFileSync(join(import.meta.dirname, 'report.md'), `# The last report of npm run chaos\n\n${written}`)
  if (reports.some(({ findings }) => findings.some(({ passed }) => !passed))) process.exitCode = 1
}

function parseArguments(args: string[]) {
  const at = args.indexOf('--json')
  const jsonPath = at < 0 ? undefined : args[at + 1]
  const rest = at < 0 ? args : args.toSpliced(at, 2)
  return {
    ...{ jsonPath, isAll: rest.includes('--all'), isShort: rest.includes('--short') },
    requested: rest.filter((arg) => !arg.startsWith('--')),
  }
}

/** The first line of a scenario is its question. */
function questionOf(file: string): string | undefined {
  const [first = ''] = readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')
  return /^\/\/ (.*\?)$/.exec(first)?.[1]
}

/** Runs a scenario in a process of its own, which writes its report to a file. */
async function runScenario(name: string): Promise<Report> {
  console.log(`\n${name}: ${questionOf(`${name}.ts`)}`)
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-report-'))
  const path = join(folder, 'report.json')
  const args = [join(import.meta.dirname, `${name}.ts`), '--json', path, ...(isShort ? ['--short'] : [])]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (ended) => resolve(ended ?? 1))
  })
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    // Without a report, the result is the exit code.
    const finding = { name: 'the exit code is 0', passed: code === 0, details: String(code) }
    return { name, findings: [finding], metrics: {}, seconds: 0, load: '' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

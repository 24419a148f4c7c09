// npm run bench [-- name…]: lists the benchmarks, or runs those that are named.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const files = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => questionOf(file) !== undefined)
  .sort()
const names = files.map((file) => basename(file, '.ts'))
const requested = process.argv.slice(2)
const unknown = requested.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Choose from ${names.join(', ')}.`)
  process.exitCode = 2
} else if (requested.length === 0) {
  const width = Math.max(...names.map(({ length }) => length)) + 2
  for (const file of files) console.log(`${basename(file, '.ts').padEnd(width)}${questionOf(file)}`)
  console.log('\nRun one with: npm run bench -- <name>')
} else {
  for (const name of requested) process.exitCode = (await run(`${name}.ts`)) || process.exitCode
}

/** The first line of a benchmark is its question. */
function questionOf(file: string): string | undefined {
  const [first = ''] = readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')
  return /^\/\/ (.*\?)$/.exec(first)?.[1]
}

function run(file: string): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

// npm run bench [-- name…]: lists the questions, or answers those that are named, one after the other.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const files = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => questionOf(file) !== undefined)
  .sort()
const names = files.map((file) => basename(file, '.ts'))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}: choose from ${names.join(', ')}.`)
  process.exitCode = 2
} else if (wanted.length === 0) {
  const width = Math.max(...names.map(({ length }) => length)) + 2
  for (const file of files) console.log(`${basename(file, '.ts').padEnd(width)}${questionOf(file)}`)
  console.log('\nRun one with: npm run bench -- <name>')
} else {
  for (const name of wanted) process.exitCode = (await run(`${name}.ts`)) || process.exitCode
}

/** A bench begins with its question. */
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

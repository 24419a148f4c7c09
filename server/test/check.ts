// npm run check: checks types, lint, format and dead code of the repository, two at a time.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const program = (path: string) => join(root, 'node_modules', path)
const projects = globSync(['tsconfig.json', '{server,console,client,sandbox,bench}/tsconfig.json'], {
  cwd: root,
})

// Lint takes longer than all others.
const checks = [
  { name: 'lint', command: [program('eslint/bin/eslint.js'), '--max-warnings=0', '.'] },
  ...projects.map((project) => ({
    name: `types of ${project}`,
    command: [program('typescript/bin/tsc'), '--noEmit', '--pretty', 'false', '-p', project],
  })),
  { name: 'format', command: [program('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'] },
  { name: 'dead code', command: [program('knip/bin/knip.js'), '--no-config-hints'] },
]

const waiting = [...checks]
const worker = async () => {
  let hasPassed = true
  for (let check = waiting.shift(); check; check = waiting.shift())
    hasPassed = (await run(check)) && hasPassed
  return hasPassed
}
const results = await Promise.all([worker(), worker()])
process.exitCode = results.every(Boolean) ? 0 : 1

function run({ name, command }: (typeof checks)[number]) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))
  return new Promise<boolean>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
      if (code !== 0) console.log(output.trim())
      resolve(code === 0)
    })
  })
}

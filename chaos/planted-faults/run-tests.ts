import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TestResult {
  /** The first test that failed; null when all passed. A file that cannot be loaded is a problem instead. */
  readonly failed: string | null
  /** Why the tests did not run or end. */
  readonly problem: string | null
  readonly seconds: number
}

const testTimeoutMs = 120_000
const fileTimeoutMs = 300_000

/** Runs a test file until its first failure, in a process group that is killed at the end. */
export async function runTestFile(
  root: string,
  file: string,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<TestResult> {
  const startedAt = performance.now()
  // As `npm test` does: the hooks of a file that is run by itself do not wait for one another.
  const group = join(root, 'one-file.mjs')
  const args = `${JSON.stringify(root)}, ${JSON.stringify([file])}`
  writeFileSync(group, `import { runGroup } from './server/test/run-group.ts'\nrunGroup(${args})\n`)
  const flags = ['--test', '--test-reporter=tap', `--test-timeout=${testTimeoutMs}`]
  const child = spawn(process.execPath, [...flags, group], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  let [output, errorOutput] = ['', '']
  child.stdout.on('data', (text: Buffer) => {
    output += String(text)
    if (failedTest(output) !== null) kill()
  })
  child.stderr.on('data', (text: Buffer) => (errorOutput = (errorOutput + String(text)).slice(-2_000)))
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(fileTimeoutMs)])
  limit.addEventListener('abort', kill)
  await new Promise((done) => child.once('close', done))
  limit.removeEventListener('abort', kill)
  kill()
  const failed = failedTest(output)
  const hasPassed = /^# fail 0$/m.test(output) && /^# pass [1-9]/m.test(output)
  return {
    failed,
    problem: failed !== null || hasPassed ? null : describeProblem(limit.aborted, output, errorOutput),
    seconds: (performance.now() - startedAt) / 1_000,
  }
}

/** The name of the first test that failed by itself: not a suite, whose `before` may have failed, and not the file. */
function failedTest(tap: string): string | null {
  for (const [, name = '', details = ''] of tap.matchAll(/not ok \d+ - (.*)\n +---\n([\s\S]*?)\n +\.\.\.\n/g))
    if (/failureType: '(testCodeFailure|testTimeoutFailure)'/.test(details) && !name.endsWith('.test.ts'))
      return name
  return null
}

function describeProblem(isAborted: boolean, output: string, errorOutput: string): string {
  if (isAborted) return 'The tests did not end in time.'
  const [error] = /^ *error: .*(\n.*){0,3}/m.exec(output) ?? []
  return `The tests could not run: ${error?.trim() ?? errorOutput.trim()}`
}

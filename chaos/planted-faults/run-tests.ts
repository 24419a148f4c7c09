import { spawn } from 'node:child_process'
import { relative } from 'node:path'
import type { Catcher } from './fault.ts'

export interface TestResult {
  /** How many tests passed. */
  readonly passed: number
  readonly failed: readonly FailedTest[]
  /** Set when the tests did not start or end. */
  readonly problem: string | null
  readonly seconds: number
}

interface FailedTest {
  readonly file: string
  readonly name: string
  readonly message: string
}

const testTimeoutMs = 120_000
const totalTimeoutMs = 240_000

/** Runs only these tests, in a process group that is killed at the end. */
export async function runTests(
  root: string,
  requested: readonly Catcher[],
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<TestResult> {
  const startedAt = performance.now()
  const files = [...new Set(requested.map(({ file }) => file))]
  const patterns = [...new Set(requested.map(({ test }) => `--test-name-pattern=${escaped(test)}`))]
  // A suite without selected tests does not close what it opened.
  const flags = [
    ...['--test', '--test-force-exit', '--test-reporter=tap', '--test-concurrency=1'],
    `--test-timeout=${testTimeoutMs}`,
  ]
  const child = spawn(process.execPath, [...flags, ...patterns, ...files], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text: Buffer) => (output += String(text)))
  let errorOutput = ''
  child.stderr.on('data', (text: Buffer) => (errorOutput = (errorOutput + String(text)).slice(-2_000)))
  let isTimedOut = false
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  stopping.addEventListener('abort', end)
  const timer = setTimeout(() => ((isTimedOut = true), end()), totalTimeoutMs)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearTimeout(timer)
  stopping.removeEventListener('abort', end)
  end()
  return {
    ...parseTap(output, root),
    problem: describeProblem(isTimedOut, code, output, errorOutput),
    seconds: (performance.now() - startedAt) / 1_000,
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function describeProblem(
  isOver: boolean,
  code: number | null,
  output: string,
  errorOutput: string,
): string | null {
  if (isOver) return `The tests did not end within ${totalTimeoutMs / 1_000} s.`
  return code === null || !/^# tests \d+/m.test(output)
    ? `The tests could not run: ${errorOutput.trim()}`
    : null
}

/** The failed tests and suites, without files that could not be loaded and worlds that could not be opened. */
function parseTap(tap: string, root: string): Pick<TestResult, 'passed' | 'failed'> {
  const failed = [...tap.matchAll(/^( *)not ok \d+ - (.*)\n\1 {2}---\n([\s\S]*?)\n\1 {2}\.\.\.$/gm)].flatMap(
    ([, , name = '', details = '']) => {
      const valueOf = (key: string) => new RegExp(`^ *${key}: '?(.*?)'?$`, 'm').exec(details)?.[1] ?? ''
      if (['hookFailed', 'cancelledByParent'].includes(valueOf('failureType')) || name.endsWith('.test.ts'))
        return []
      const message = /^ *error: (?:\|-\n\s*)?'?(.*)/m.exec(details)?.[1] ?? ''
      return [{ file: relative(root, valueOf('location').replace(/:\d+:\d+$/, '')), name, message }]
    },
  )
  return { passed: Number(/^# pass (\d+)/m.exec(tap)?.[1] ?? 0), failed }
}

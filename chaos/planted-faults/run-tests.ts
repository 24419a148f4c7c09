import { spawn } from 'node:child_process'
import { relative } from 'node:path'
import type { Catcher } from './fault.ts'

export interface Verdict {
  /** How many tests were green. */
  readonly passed: number
  readonly failed: readonly Failed[]
  /** When they did not come to an end, or could not begin. */
  readonly trouble: string | null
  readonly seconds: number
}

export interface Failed {
  readonly file: string
  readonly name: string
  readonly message: string
}

const testTimeoutMs = 120_000
const wholeTimeoutMs = 240_000

/** Runs these tests and no others, in a group of processes that ends with them. */
export async function runTests(
  root: string,
  wanted: readonly Catcher[],
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Verdict> {
  const begun = performance.now()
  const files = [...new Set(wanted.map(({ file }) => file))]
  const patterns = [...new Set(wanted.map(({ test }) => `--test-name-pattern=${escaped(test)}`))]
  // What a suite opens that is passed over is closed by nobody.
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
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += String(text)))
  let complaint = ''
  child.stderr.on('data', (text: Buffer) => (complaint = (complaint + String(text)).slice(-2_000)))
  let isOver = false
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // The group is empty.
    }
  }
  stopping.addEventListener('abort', end)
  const timer = setTimeout(() => ((isOver = true), end()), wholeTimeoutMs)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearTimeout(timer)
  stopping.removeEventListener('abort', end)
  end()
  return {
    ...read(said, root),
    trouble: troubleOf(isOver, code, said, complaint),
    seconds: (performance.now() - begun) / 1_000,
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function troubleOf(isOver: boolean, code: number | null, said: string, complaint: string): string | null {
  if (isOver) return `They did not end within ${wholeTimeoutMs / 1_000} s.`
  return code === null || !/^# tests \d+/m.test(said) ? `They could not be run: ${complaint.trim()}` : null
}

/** Tests that failed by themselves, and their suites: when a file cannot be loaded or a world not opened, nothing was noticed. */
function read(tap: string, root: string): Pick<Verdict, 'passed' | 'failed'> {
  const failed = [...tap.matchAll(/^( *)not ok \d+ - (.*)\n\1 {2}---\n([\s\S]*?)\n\1 {2}\.\.\.$/gm)].flatMap(
    ([, , name = '', facts = '']) => {
      const fact = (key: string) => new RegExp(`^ *${key}: '?(.*?)'?$`, 'm').exec(facts)?.[1] ?? ''
      if (['hookFailed', 'cancelledByParent'].includes(fact('failureType')) || name.endsWith('.test.ts'))
        return []
      const message = /^ *error: (?:\|-\n\s*)?'?(.*)/m.exec(facts)?.[1] ?? ''
      return [{ file: relative(root, fact('location').replace(/:\d+:\d+$/, '')), name, message }]
    },
  )
  return { passed: Number(/^# pass (\d+)/m.exec(tap)?.[1] ?? 0), failed }
}

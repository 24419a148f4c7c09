import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openTestParts } from '../../server/test/parts.ts'
import type { Catcher, Fault } from './fault.ts'
import { copyRepository, type RepositoryCopy } from './faulty-copy.ts'
import { runTests, type TestResult } from './run-tests.ts'

/** The result of one test file without a fault, or of one fault. */
export interface Outcome {
  readonly name: string
  /** The tests passed without a fault, or failed with one. */
  readonly passed: boolean
  readonly details: string
  readonly seconds: number
}

/** Runs all named tests without a fault, because a test that always fails detects nothing; then one fault after the other. */
export async function runFaults(
  chosen: readonly Fault[],
  report: { baseline(outcome: Outcome): void; fault(outcome: Outcome): void },
  stopping: AbortSignal,
): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'vacancy-faults-')))
  const scratch = join(home, 'tmp')
  mkdirSync(scratch)
  // The user of PostgreSQL must be able to enter the folders.
  for (const folder of [home, scratch]) chmodSync(folder, 0o711)
  const parts = await openTestParts({ home, env: process.env })
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...parts.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    VACANCY_HOME: join(home, 'vacancy'),
    TMPDIR: scratch,
  }
  // Otherwise a child process of a test would report to that test.
  delete env['NODE_TEST_CONTEXT']
  try {
    const copy = copyRepository(resolve(import.meta.dirname, '../..'), join(home, 'copy'))
    const catchers = chosen.flatMap(({ caughtBy }) => caughtBy)
    for (const [file, tests] of Map.groupBy(catchers, (one) => one.file)) {
      if (stopping.aborted) return
      report.baseline(await runWithoutFault(copy, file, tests, env, stopping))
    }
    for (const fault of chosen) {
      if (stopping.aborted) return
      report.fault(await runWithFault(copy, fault, env, stopping))
    }
  } finally {
    await parts.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function runWithoutFault(
  { root }: RepositoryCopy,
  file: string,
  tests: readonly Catcher[],
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { failed, problem: trouble, passed, seconds } = await runTests(root, tests, env, stopping)
  const names = new Set(tests.map(({ test }) => test))
  const isComplete = passed >= names.size
  const problem =
    trouble ?? failed[0]?.message ?? (isComplete ? null : `only ${passed} of ${names.size} tests exist`)
  return { name: file, passed: problem === null, details: problem ?? 'passed', seconds }
}

async function runWithFault(
  copy: RepositoryCopy,
  fault: Fault,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Outcome> {
  const restore = copy.plant(fault)
  try {
    const verdict = await runTests(copy.root, fault.caughtBy, env, stopping)
    const missedBy = fault.caughtBy.filter((one) => !isNoticedBy(verdict, one))
    const passed = missedBy.length === 0
    const named = (passed ? fault.caughtBy : missedBy).map(({ file, test }) => `${file}: ${test}`).join('; ')
    const details = passed ? named : `${verdict.problem ?? 'not detected'} by ${named}`
    return { name: fault.name, passed, details, seconds: verdict.seconds }
  } finally {
    restore()
  }
}

function isNoticedBy({ failed }: TestResult, { file, test }: Catcher): boolean {
  return failed.some((one) => one.file === file && one.name.includes(test))
}

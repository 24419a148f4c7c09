import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openTestParts } from '../../server/test/parts.ts'
import type { Fault } from './fault.ts'
import { copyRepository, type RepositoryCopy } from './faulty-copy.ts'
import { runTestFile } from './run-tests.ts'
import { removeFolder } from '../../server/test/remove-folder.ts'

/** The result of one test file without a fault, or of one fault. */
export interface Outcome {
  readonly name: string
  /** The tests passed without a fault, or failed with one. */
  readonly passed: boolean
  readonly details: string
  readonly seconds: number
}

/** Runs all named test files without a fault, because a test that always fails detects nothing; then one fault after the other. */
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
    for (const file of new Set(chosen.flatMap(({ caughtBy }) => caughtBy))) {
      if (stopping.aborted) return
      const { failed, problem, seconds } = await runTestFile(copy.root, file, env, stopping)
      const details = problem ?? (failed === null ? 'passed' : `failed: ${failed}`)
      report.baseline({ name: file, passed: problem === null && failed === null, details, seconds })
    }
    for (const fault of chosen) {
      if (stopping.aborted) return
      report.fault(await runWithFault(copy, fault, env, stopping))
    }
  } finally {
    await parts.close()
    removeFolder(home)
  }
}

async function runWithFault(
  copy: RepositoryCopy,
  fault: Fault,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Outcome> {
  const restore = copy.plant(fault)
  try {
    const startedAt = performance.now()
    const details: string[] = []
    let passed = true
    for (const file of fault.caughtBy) {
      const { failed, problem } = await runTestFile(copy.root, file, env, stopping)
      passed &&= failed !== null
      details.push(`${file}: ${failed ?? problem ?? 'every test passed'}`)
    }
    const seconds = (performance.now() - startedAt) / 1_000
    return { name: fault.name, passed, details: details.join('; '), seconds }
  } finally {
    restore()
  }
}

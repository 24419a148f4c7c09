import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openTestParts } from '../../server/test/parts.ts'
import type { Catcher, Fault } from './fault.ts'
import { copyOf, type Copy } from './faulty-copy.ts'
import { runTests, type Verdict } from './run-tests.ts'

/** What became of one file without a fault, or of one fault. */
export interface Outcome {
  readonly name: string
  /** Green without a fault, red with one. */
  readonly isRight: boolean
  readonly found: string
  readonly seconds: number
}

/** First all named tests without a fault, for what is red anyhow notices nothing; then one fault after the other. */
export async function plantAll(
  chosen: readonly Fault[],
  tell: { green(outcome: Outcome): void; fault(outcome: Outcome): void },
  stopping: AbortSignal,
): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'vacancy-faults-')))
  const scratch = join(home, 'tmp')
  mkdirSync(scratch)
  // The user that PostgreSQL runs as must get through.
  for (const folder of [home, scratch]) chmodSync(folder, 0o711)
  const parts = await openTestParts({ home, env: process.env })
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...parts.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    VACANCY_HOME: join(home, 'vacancy'),
    TMPDIR: scratch,
  }
  // As a child of a test it would report to that one.
  delete env['NODE_TEST_CONTEXT']
  try {
    const copy = copyOf(resolve(import.meta.dirname, '../..'), join(home, 'copy'))
    const catchers = chosen.flatMap(({ caughtBy }) => caughtBy)
    for (const [file, tests] of Map.groupBy(catchers, (one) => one.file)) {
      if (stopping.aborted) return
      tell.green(await withoutFault(copy, file, tests, env, stopping))
    }
    for (const fault of chosen) {
      if (stopping.aborted) return
      tell.fault(await withFault(copy, fault, env, stopping))
    }
  } finally {
    await parts.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function withoutFault(
  { root }: Copy,
  file: string,
  tests: readonly Catcher[],
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { failed, trouble, passed, seconds } = await runTests(root, tests, env, stopping)
  const names = new Set(tests.map(({ test }) => test))
  const isThere = passed >= names.size
  const problem =
    trouble ?? failed[0]?.message ?? (isThere ? null : `only ${passed} of ${names.size} tests are there`)
  return { name: file, isRight: problem === null, found: problem ?? 'green', seconds }
}

async function withFault(
  copy: Copy,
  fault: Fault,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Outcome> {
  const takeOut = copy.plant(fault)
  try {
    const verdict = await runTests(copy.root, fault.caughtBy, env, stopping)
    const blind = fault.caughtBy.filter((one) => !notices(verdict, one))
    const isRight = blind.length === 0
    const named = (isRight ? fault.caughtBy : blind).map(({ file, test }) => `${file}: ${test}`).join('; ')
    const found = isRight ? named : `${verdict.trouble ?? 'not noticed'} by ${named}`
    return { name: fault.name, isRight, found, seconds: verdict.seconds }
  } finally {
    takeOut()
  }
}

function notices({ failed }: Verdict, { file, test }: Catcher): boolean {
  return failed.some((one) => one.file === file && one.name.includes(test))
}

// node bin/run.mjs chaos/planted-faults/run.ts [part of a name…]: plants mistakes and sees whether the tests notice.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openTestParts } from '../../server/test/parts.ts'
import type { Catcher, Fault } from './fault.ts'
import { faults } from './faults.ts'
import { copyOf, type Copy } from './faulty-copy.ts'
import { runTests, type Verdict } from './run-tests.ts'

const wanted = process.argv.slice(2)
const chosen = faults.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))

const home = realpathSync(mkdtempSync(join(tmpdir(), 'vacancy-faults-')))
const scratch = join(home, 'tmp')
mkdirSync(scratch)
// The user that PostgreSQL runs as must get through.
for (const folder of [home, scratch]) chmodSync(folder, 0o711)

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

process.exitCode = await run()

async function run(): Promise<number> {
  if (chosen.length === 0) {
    console.error(
      `No fault is called like ${wanted.join(' ')}. There are: ${faults.map(({ name }) => name).join(', ')}.`,
    )
    return 2
  }
  const parts = await openTestParts({ home, env: process.env })
  const env = {
    ...process.env,
    ...parts.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    VACANCY_HOME: join(home, 'vacancy'),
    TMPDIR: scratch,
  }
  // As a child of a test run it would report to that one.
  delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT']
  try {
    const copy = copyOf(resolve(import.meta.dirname, '../..'), join(home, 'copy'))
    const catchers = chosen.flatMap(({ caughtBy }) => caughtBy)
    const isGreen = await runUnharmed(copy, catchers, env)
    const outcomes: string[] = []
    let missed = 0
    for (const fault of chosen) {
      if (stopping.signal.aborted) return 130
      const [line, isCaught] = await judge(copy, fault, env)
      if (!isCaught) missed++
      outcomes.push(line)
    }
    console.log(
      ['', '| fault | verdict | seconds | noticed by |', '| --- | --- | ---: | --- |', ...outcomes, ''].join(
        '\n',
      ),
    )
    console.log(
      `${chosen.length - missed} of ${chosen.length} faults were noticed${isGreen ? '' : ', but not everything is green without them'}.`,
    )
    return missed === 0 && isGreen ? 0 : 1
  } finally {
    await parts.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** What is red anyhow notices nothing. */
async function runUnharmed(
  { root }: Copy,
  catchers: readonly Catcher[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  let isGreen = true
  for (const [file, tests] of Map.groupBy(catchers, (one) => one.file)) {
    if (stopping.signal.aborted) return false
    const verdict = await runTests(root, tests, env, stopping.signal)
    const { failed, trouble, passed, seconds } = verdict
    const names = new Set(tests.map(({ test }) => test))
    const problem =
      trouble ??
      failed[0]?.message ??
      (passed < names.size ? `only ${passed} of ${names.size} tests are there` : null)
    if (problem !== null) isGreen = false
    console.error(
      `${problem === null ? '✓' : '✗'} without faults: ${file} (${seconds.toFixed(1)} s)${problem === null ? '' : `: ${problem}`}`,
    )
  }
  return isGreen
}

async function judge(
  copy: Copy,
  fault: Fault,
  env: NodeJS.ProcessEnv,
): Promise<[line: string, isCaught: boolean]> {
  const takeOut = copy.plant(fault)
  try {
    const verdict = await runTests(copy.root, fault.caughtBy, env, stopping.signal)
    const blind = fault.caughtBy.filter(({ file, test }) => !notices(verdict, file, test))
    const isCaught = blind.length === 0
    const why =
      verdict.failed.map(({ name, message }) => `${name}: ${message}`).join('; ') ||
      (verdict.trouble ?? 'all green')
    console.error(
      `${isCaught ? '✓' : '✗'} ${fault.name} (${verdict.seconds.toFixed(1)} s): ${why.slice(0, 300)}`,
    )
    const by = isCaught ? fault.caughtBy : blind
    return [
      `| ${fault.name} | ${isCaught ? 'caught' : '**missed**'} | ${verdict.seconds.toFixed(1)} | ${by.map(({ file, test }) => `${file}: ${test}`).join('; ')} |`,
      isCaught,
    ]
  } finally {
    takeOut()
  }
}

function notices({ failed }: Verdict, file: string, test: string): boolean {
  return failed.some((one) => one.file === file && one.name.includes(test))
}

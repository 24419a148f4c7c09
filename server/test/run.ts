// npm test [-- part of a file name… | --flag of node --test…]: every test on real parts, nothing left behind.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { buildConsole } from '#start/console-build.ts'
import { signalOnExit } from '#start/signal-on-exit.ts'
import { groupFiles, processes, runsOnInstalled } from './test-order.ts'
import { openTestParts } from './parts.ts'
import { makeRunFolder } from './run-folder.ts'
import { testFiles } from './test-files.ts'
import { removeFolder } from './remove-folder.ts'
import type { FinishedFile } from './finished-files-reporter.ts'

const root = resolve(import.meta.dirname, '../..')
const args = process.argv.slice(2)
const flags = args.filter((arg) => arg.startsWith('-'))
const wanted = args.filter((arg) => !arg.startsWith('-'))

const files = testFiles(root).filter(
  (file) => wanted.length === 0 || wanted.some((part) => file.includes(part.replace(/^\.\//, ''))),
)

const home = makeRunFolder()
// The user that PostgreSQL runs as must get through.
const temporary = join(home, 'tmp')
mkdirSync(temporary)
chmodSync(temporary, 0o711)
const report = join(home, 'finished-files')
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(signal))
process.on('disconnect', () => stopping.abort('disconnect'))
process.channel?.unref()

process.exitCode = await run().catch((error: unknown) => {
  console.log(error)
  return 1
})

async function run() {
  if (files.length === 0) {
    console.error(`No test file matches ${wanted.join(' ')}: give a part of a file name, such as units.`)
    return 2
  }
  const parts = await openTestParts({ home, env: process.env, onInstalled: files.some(runsOnInstalled) })
  try {
    if (parts.missing.length > 0 && process.env['CI']) {
      console.log(`These are missing, and CI runs on all of them: ${parts.missing.join('; ')}.`)
      return 1
    }
    console.log(`${files.length} test files on ${parts.described}`)
    // Otherwise each product that is started for the browser would build it.
    if (files.some((file) => file.startsWith('console/')))
      await buildConsole(root, join(home, 'console-build.log'))
    const code = await runTests({ ...process.env, ...parts.env })
    const { failed, unfinished } = readReport()
    if (failed.length > 0) console.log(`\nFAILED: ${failed.join(', ')}`)
    if (unfinished.length > 0) console.log(`\nNOT FINISHED, OR WITHOUT A TEST: ${unfinished.join(', ')}`)
    for (const part of parts.missing) console.log(`\nNOT TESTED HERE: ${part}`)
    return code || (unfinished.length > 0 ? 1 : 0)
  } finally {
    await parts.close()
    removeFolder(home)
  }
}

/** A process that ends early must not count as a success: every file must report its end. */
function readReport() {
  const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean) : []
  const ended = lines.map((line) => JSON.parse(line) as FinishedFile)
  const finished = new Set(ended.map(({ name }) => name))
  // Or only part of the tests are wanted.
  const mayBeUnfinished =
    stopping.signal.aborted || flags.some((flag) => /^--test-(name|skip|only)/.test(flag))
  return {
    failed: ended.filter(({ passed }) => !passed).map(({ name }) => name),
    unfinished: mayBeUnfinished ? [] : files.filter((file) => !finished.has(file)),
  }
}

/** One module for each process, which runs its files; node --test starts them in the order of their names. */
function writeGroups({ TEST_INSTALLED_DATABASE_URL: installed }: NodeJS.ProcessEnv): string[] {
  mkdirSync(join(home, 'groups'))
  return groupFiles(files).map((group, index) => {
    const number = String(index + 1).padStart(3, '0')
    const path = join(home, 'groups', `${number}-${basename(group[0]!, '.test.ts')}.mjs`)
    const imported = JSON.stringify(join(import.meta.dirname, 'run-group.ts'))
    const args = `${JSON.stringify(root)}, ${JSON.stringify(group)}`
    const database =
      installed && group.some(runsOnInstalled)
        ? `process.env.TEST_DATABASE_URL = ${JSON.stringify(installed)}\n`
        : ''
    writeFileSync(path, `import { runGroup } from ${imported}\n${database}runGroup(${args})\n`)
    return path
  })
}

/** In a group of its own, so that its end takes along whatever a test has started. */
function runTests(env: NodeJS.ProcessEnv) {
  const has = (name: string) => flags.some((flag) => flag.startsWith(name))
  const reporters = [
    `--test-reporter=${join(import.meta.dirname, 'finished-files-reporter.ts')}`,
    `--test-reporter-destination=${report}`,
    ...(has('--test-reporter=') ? [] : ['--test-reporter=spec']),
    ...(has('--test-reporter-destination') ? [] : ['--test-reporter-destination=stdout']),
  ]
  const concurrency = has('--test-concurrency') ? [] : [`--test-concurrency=${processes}`]
  // What a failed test left open holds nothing up; how long a file may take stands in run-group.ts.
  const ending = ['--test-force-exit']
  // With room for what a request leaves behind, test processes take a tenth less of the processors.
  const heap = ['--min-semi-space-size=32', '--max-semi-space-size=64']
  const tests = spawn(
    process.execPath,
    ['--test', ...heap, ...ending, ...reporters, ...concurrency, ...flags, ...writeGroups(env)],
    {
      cwd: root,
      env: {
        ...env,
        PATH: `${dirname(process.execPath)}:${env['PATH'] ?? ''}`,
        VACANCY_HOME: join(home, 'vacancy'),
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    },
  )
  const group = -(tests.pid ?? 0)
  const exitSignal = tests.pid ? signalOnExit(group, 'TERM') : undefined
  const end = () => {
    signalGroup(group, 'SIGTERM')
    setTimeout(() => signalGroup(group, 'SIGKILL'), 4_000).unref()
  }
  if (stopping.signal.aborted) end()
  else stopping.signal.addEventListener('abort', end)
  return new Promise<number>((done) => {
    tests.once('error', (error) => {
      console.log(`The tests could not be started: ${error.message}`)
      done(1)
    })
    tests.once('exit', (code, signal) => {
      exitSignal?.cancel()
      signalGroup(group, 'SIGKILL')
      if (signal) console.log(`\nThe tests were ended by ${signal}.`)
      else if (code) console.log(`\nThe tests ended with the exit code ${code}.`)
      done(stopping.signal.aborted ? 130 : (code ?? 1))
    })
  })
}

function signalGroup(group: number, signal: NodeJS.Signals) {
  try {
    if (group < -1) process.kill(group, signal)
  } catch {
    // The group is empty, as it should be.
  }
}

import { AsyncResource } from 'node:async_hooks'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { closeShared } from './process-end.ts'

/** Longer than any file takes: a test that waits for what never comes ends here and leaves the next files their time. */
const fileTimeoutMs = 10 * 60_000

/**
 * Runs test files one after the other in this process, each as a suite named by its path: its hooks run around its own
 * tests only. They share the compiled modules, which take more processor time than the tests of most files.
 */
export function runGroup(root: string, files: readonly string[]): void {
  exitWhenWritten()
  after(closeShared)
  runNext(root, files)
}

function runNext(root: string, files: readonly string[]): void {
  const [file, ...rest] = files
  if (!file) return
  // A suite belongs to the one in whose asynchronous context it is made.
  const runRest = AsyncResource.bind(() => runNext(root, rest))
  suite(file, { timeout: fileTimeoutMs }, async () => {
    // A file is loaded when its turn comes: what it reads from the clock is then still true in its tests.
    after(runRest)
    await import(pathToFileURL(resolve(root, file)).href)
  })
}

/** With --test-force-exit a process would take along what it has reported and the pipe to the runner has no room for. */
function exitWhenWritten(): void {
  const exit = process.exit.bind(process)
  process.exit = ((code?: number) => process.stdout.write('', () => exit(code))) as typeof process.exit
}

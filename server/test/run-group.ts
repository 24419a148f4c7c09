import { AsyncResource } from 'node:async_hooks'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

/** Longer than any file takes: a test that waits for what never comes ends here and leaves the next files their time. */
const fileTimeoutMs = 10 * 60_000

/**
 * Runs test files one after the other in this process, each as a suite named by its path: its hooks run around its own
 * tests only. They share the compiled modules, which take more processor time than the tests of most files.
 */
export function runGroup(root: string, files: readonly string[]): void {
  let loading: Promise<unknown> = Promise.resolve()
  for (const file of files)
    suite(file, { timeout: fileTimeoutMs }, async () => {
      // Tests belong to the suite in whose asynchronous context they are registered.
      const load = AsyncResource.bind(() => import(pathToFileURL(resolve(root, file)).href))
      // One at a time: a module that two files wait for would register the tests of both in one of the suites.
      loading = loading.then(load, load)
      await loading
    })
}

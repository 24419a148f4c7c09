#!/usr/bin/env node
// Runs one TypeScript file of this repository: node bin/run.mjs <file.ts> [arguments].
// It must load on any Node that knows modules, so everything modern waits behind the check.
import { createRequire } from 'node:module'

const major = Number(process.versions.node.split('.')[0])
const [file, ...args] = process.argv.slice(2)

if (major < 20) {
  process.stderr.write(
    'Vacancy needs Node 20 or newer (this is ' +
      process.versions.node +
      '): install it from https://nodejs.org and run the command again.\n',
  )
  process.exitCode = 1
} else if (!file) {
  process.stderr.write('Say which file to run: node bin/run.mjs <file.ts> [arguments].\n')
  process.exitCode = 2
} else {
  const path = createRequire(import.meta.url)('node:path')
  import('./bootstrap.mjs').then(({ bootstrap }) => bootstrap(path.resolve(file), args))
}

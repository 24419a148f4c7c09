#!/usr/bin/env node
// Runs one TypeScript file of this repository: node bin/run.mjs <file.ts> [arguments].
// Old versions of Node must be able to load this file, so newer syntax is loaded after the check.
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
  process.stderr.write('Usage: node bin/run.mjs <file.ts> [arguments]\n')
  process.exitCode = 2
} else {
  const path = createRequire(import.meta.url)('node:path')
  import('./bootstrap.mjs').then(({ bootstrap }) => bootstrap(path.resolve(file), args, { withDev: true }))
}

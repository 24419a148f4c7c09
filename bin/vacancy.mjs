#!/usr/bin/env node
// The command `vacancy`: installs missing packages, then runs with the pinned Node.
// Old versions of Node must be able to load this file, so newer syntax is loaded after the check.
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 20) {
  process.stderr.write(
    'Vacancy needs Node 20 or newer (this is ' +
      process.versions.node +
      '): install it from https://nodejs.org and run the command again.\n',
  )
  process.exitCode = 1
} else {
  const command = fileURLToPath(new URL('../server/bin/vacancy.ts', import.meta.url))
  import('./bootstrap.mjs').then(({ bootstrap }) =>
    bootstrap(command, process.argv.slice(2), { withDev: false }),
  )
}

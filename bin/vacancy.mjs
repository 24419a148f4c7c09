#!/usr/bin/env node
// The command `vacancy`: installs what is missing, then hands over to the pinned Node.
// It must load on any Node that knows modules, so everything modern waits behind the check.
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
  import('./bootstrap.mjs').then(({ bootstrap }) => bootstrap(command, process.argv.slice(2)))
}

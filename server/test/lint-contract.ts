// npm run lint:contract: checks openapi.json with two linters. A hint of either is a failure.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const { resolve: find } = createRequire(import.meta.url)
const programs = [
  [find('@stoplight/spectral-cli/dist/index.js'), 'lint', '--fail-severity=hint', 'openapi.json'],
  [resolve(dirname(find('@redocly/cli/package.json')), 'bin/cli.js'), 'lint', 'openapi.json'],
]

for (const command of programs) {
  // Otherwise the second linter would check for updates and send telemetry.
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_UPDATE_NOTIFIER: '1',
  }
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) process.exitCode = 1
}

// npm run build -w client: compiles the package to dist. By bin/run.mjs, because `npm start` installs no compiler.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const { dirname: folder } = import.meta
const compiler = join(folder, '..', 'node_modules', 'typescript', 'bin', 'tsc')
try {
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' })
} catch {
  // The compiler has said why.
  process.exitCode = 1
}

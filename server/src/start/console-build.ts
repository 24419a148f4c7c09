/** Builds the operators' console when its sources have changed since the last build. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

export type ConsoleBuild = 'built' | 'current' | 'absent' | { failedBecause: string }

export async function buildConsole(root: string, logPath: string): Promise<ConsoleBuild> {
  const folder = join(root, 'console')
  if (!existsSync(join(folder, 'index.html'))) return 'absent'
  const stampPath = join(folder, 'dist', '.built-from')
  const stamp = hashSources(root)
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return 'current'

  // Built in another folder and then renamed, so that a browser never loads half of it.
  const unfinished = join(folder, `dist-${process.pid}`)
  const failure = await runVite(root, folder, unfinished, logPath)
  if (failure) {
    rmSync(unfinished, { recursive: true, force: true })
    return { failedBecause: failure }
  }
  await compressAssets(join(unfinished, 'assets'))
  writeFileSync(join(unfinished, '.built-from'), stamp)
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  renameSync(unfinished, join(folder, 'dist'))
  return 'built'
}

/** Compresses each asset once, with the highest level, beside the file: `app.js`, `app.js.br`, `app.js.gz`. */
export async function compressAssets(folder: string): Promise<void> {
  const assets = globSync('**/*.{js,css,svg,json}', { cwd: folder }).map((name) => join(folder, name))
  await Promise.all(
    assets.map(async (path) => {
      const content = await readFile(path)
      await Promise.all([
        brotli(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }).then((packed) =>
          writeFile(`${path}.br`, packed),
        ),
        gzip(content, { level: constants.Z_BEST_COMPRESSION }).then((packed) =>
          writeFile(`${path}.gz`, packed),
        ),
      ])
    }),
  )
}

function hashSources(root: string) {
  const sources = [
    'console/{src,public}/**/*',
    'console/*.{html,json,ts}',
    'client/src/**/*',
    'client/*.md',
    'docs/**/*.md',
    'package-lock.json',
  ]
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    if (!/\.test\.tsx?$/.test(path)) hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function runVite(root: string, cwd: string, outDir: string, logPath: string) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))
  return new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      writeFileSync(logPath, output)
      resolve(
        code === 0
          ? ''
          : (output
              .trim()
              .split('\n')
              .find((line) => /error/i.test(line)) ?? `vite ended with ${code}`),
      )
    })
  })
}

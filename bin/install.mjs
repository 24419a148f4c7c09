// Brings node_modules in line with package-lock.json, once, and tells how far it is.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withInstallLock } from './install-lock.mjs'

export async function installWhatIsMissing(root) {
  if (isInstalled(root)) return
  await withInstallLock(root, async (names) => {
    // Another process may have installed while this one waited.
    if (isInstalled(root)) return
    await npmCi(root, names)
    if (!isComplete(root))
      throw new Error(
        'The packages are still incomplete after npm ci: remove node_modules and run the command again.',
      )
    settle(root)
  })
}

function isInstalled(root) {
  if (readOrEmpty(stampPath(root)) === lockHash(root)) return true
  if (!isComplete(root)) return false
  settle(root)
  return true
}

/** Compares what npm says it installed with the lock file, so that an `npm install` by hand counts too. */
function isComplete(root) {
  const installed = readOrEmpty(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return false
  const has = JSON.parse(installed).packages
  const wants = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(wants).every(
    ([path, { version, optional, devOptional }]) =>
      !path.includes('node_modules/') ||
      (path in has ? has[path].version === version : Boolean(optional || devOptional)),
  )
}

/** Stamps the folder and links the command where npx looks first. */
function settle(root) {
  const link = join(root, 'node_modules', '.bin', 'vacancy')
  try {
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(join('..', '..', 'bin', 'vacancy.mjs'), link)
    writeFileSync(stampPath(root), lockHash(root))
  } catch {
    // A read-only checkout works as well; it only compares the lists at every start.
  }
}

const stampPath = (root) => join(root, 'node_modules', '.vacancy-installed')
const lockHash = (root) =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

const readOrEmpty = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function npmCi(root, names) {
  const [command, ...args] = findNpm()
  // Development packages are part of `npm test` and of the console, also where NODE_ENV says production.
  const npm = spawn(
    command,
    [...args, 'ci', '--no-fund', '--no-audit', '--include=dev', '--include=optional'],
    {
      cwd: root,
      env: withoutNpmRun(process.env),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  if (npm.pid) names(npm.pid)
  const progress = showProgress()
  let complaint = ''
  npm.stderr.on('data', (text) => (complaint += text))
  const interrupt = (signal) => npm.kill(signal)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const failure = await new Promise((resolve) => {
    npm.once('error', (error) => resolve(error.code === 'ENOENT' ? 'npm was not found' : error.message))
    npm.once('close', (code, signal) => resolve(code === 0 ? '' : `npm ci ended with ${signal ?? code}`))
  })
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  progress.end(failure === '')
  if (failure) {
    process.stderr.write(complaint.split('\n').slice(-12).join('\n'))
    throw new Error(
      `The packages could not be installed (${failure}): check npm, the network and the disk, then run the same command again.`,
    )
  }
}

function findNpm() {
  const running = process.env.npm_execpath
  if (running && /npm-cli\.js$/.test(running) && existsSync(running)) return [process.execPath, running]
  const beside = join(dirname(process.execPath), 'npm')
  return [existsSync(beside) ? beside : 'npm']
}

/** What an outer npm run hands down (its package, workspace or call) must not steer the install. */
function withoutNpmRun(env) {
  const steering =
    /^npm_(config_(package|call|workspace|workspaces|omit|include|only|production|global|prefix|json|dry_run)$|lifecycle_|package_)/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => !steering.test(name)))
}

/** On stderr, so that a command whose output is read by a program stays clean. */
function showProgress() {
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  const isTerminal = process.stderr.isTTY
  const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
  let tick = 0
  if (!isTerminal) process.stderr.write('Installing packages; the first time this takes about a minute.\n')
  const timer = setInterval(
    () => {
      if (isTerminal)
        process.stderr.write(`\r${frames[tick++ % frames.length]} Installing packages, ${seconds()} s `)
      else process.stderr.write(`Still installing packages, ${seconds()} s.\n`)
    },
    isTerminal ? 120 : 10_000,
  )
  return {
    end(succeeded) {
      clearInterval(timer)
      if (isTerminal) process.stderr.write('\r\x1b[K')
      if (succeeded) process.stderr.write(`✓ Packages installed (${seconds()} s)\n`)
    },
  }
}

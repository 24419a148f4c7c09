// Installs the packages of package-lock.json when they are missing or outdated, and shows the progress: what the
// product runs on, and with `withDev` what its tests and checks need as well.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withInstallLock } from './install-lock.mjs'
import { trimPackages } from './trim-packages.mjs'

export async function installPackages(root, { withDev }) {
  if (isInstalled(root, withDev)) return
  await withInstallLock(root, async (addOwner) => {
    // Another process may have installed while this one waited.
    if (isInstalled(root, withDev)) return
    const dev = withDev || hasDev(root)
    await npmCi(root, dev, addOwner)
    if (!dev) trimPackages(join(root, 'node_modules'))
    if (!isComplete(root, withDev))
      throw new Error(
        'The packages are still incomplete after npm ci: remove node_modules and run the command again.',
      )
    markInstalled(root, withDev)
  })
}

function isInstalled(root, withDev) {
  const stamp = readOrEmpty(stampPath(root))
  if (stamp === stampOf(root, true) || (!withDev && stamp === stampOf(root, false))) return true
  if (!isComplete(root, withDev)) return false
  markInstalled(root, withDev)
  return true
}

/** Compares npm's own list of installed packages with the lock file, so that a manual `npm install` counts too. */
function isComplete(root, withDev) {
  const present = presentPackages(root)
  return Object.entries(wantedPackages(root)).every(
    ([path, { version, dev, optional, devOptional }]) =>
      !path.includes('node_modules/') ||
      (dev && !withDev) ||
      (path in present ? present[path].version === version : Boolean(optional || devOptional)),
  )
}

/** Whether the packages of tests and checks were installed before: then they stay. */
function hasDev(root) {
  const wanted = wantedPackages(root)
  return Object.keys(presentPackages(root)).some((path) => wanted[path]?.dev)
}

const wantedPackages = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
const presentPackages = (root) =>
  JSON.parse(readOrEmpty(join(root, 'node_modules', '.package-lock.json')) || '{"packages":{}}').packages

/** Writes a stamp, and links the command where npx looks first. */
function markInstalled(root, withDev) {
  const link = join(root, 'node_modules', '.bin', 'vacancy')
  try {
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(join('..', '..', 'bin', 'vacancy'), link)
    writeFileSync(stampPath(root), stampOf(root, withDev))
  } catch {
    // A read-only checkout works too; it compares the lists at every start.
  }
}

const stampPath = (root) => join(root, 'node_modules', '.vacancy-installed')
const stampOf = (root, withDev) =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch} ${withDev ? 'with' : 'without'} dev\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

const readOrEmpty = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function npmCi(root, withDev, addOwner) {
  const [command, ...args] = findNpm()
  // Said either way, because NODE_ENV would decide otherwise.
  const dev = withDev ? '--include=dev' : '--omit=dev'
  const npm = spawn(command, [...args, 'ci', '--no-fund', '--no-audit', dev, '--include=optional'], {
    cwd: root,
    env: withoutNpmVariables(process.env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (npm.pid) addOwner(npm.pid)
  const progress = showProgress()
  let stderr = ''
  npm.stderr.on('data', (text) => (stderr += text))
  const interrupt = (signal) => npm.kill(signal)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const failure = await new Promise((resolve) => {
    npm.once('error', (error) => resolve(error.code === 'ENOENT' ? 'npm was not found' : error.message))
    npm.once('close', (code, signal) => resolve(code === 0 ? '' : `npm ci ended with ${signal ?? code}`))
  })
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  progress.end(failure === '')
  if (failure) {
    process.stderr.write(stderr.split('\n').slice(-12).join('\n'))
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

/** Removes variables of an outer npm run (its package, workspace or call), which would affect the install. */
function withoutNpmVariables(env) {
  const pattern =
    /^npm_(config_(package|call|workspace|workspaces|omit|include|only|production|global|prefix|json|dry_run)$|lifecycle_|package_)/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => !pattern.test(name)))
}

/** On stderr, so that the output of a command can be piped. */
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

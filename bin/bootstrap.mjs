// Installs what is missing and runs a file with the pinned Node, whatever Node the host has.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installWhatIsMissing } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']

/** Ends with the exit code of the file; a failure before that is one sentence on stderr and code 1. */
export async function bootstrap(file, args) {
  try {
    await installWhatIsMissing(root)
    await runWith(chooseNode(), file, args)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

function chooseNode() {
  const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(pinned)) return pinned
  if (hostIsRecent()) return process.execPath
  throw new Error(needsNode24())
}

const hostIsRecent = () => Number(process.versions.node.split('.')[0]) >= 24

const needsNode24 = () =>
  `Vacancy brings no Node 24 for ${process.platform} ${process.arch}: install Node 24 or newer from https://nodejs.org and run the command again.`

/** The channel between the two lets the file notice when this process was killed without a chance to say so. */
function runWith(node, file, args) {
  const env = {
    // Compiled and stripped once: starts are quicker, and 20 MB per process are not spent on the stripper.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  }
  const child = spawn(node, [file, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  const forward = signals.map((signal) => [signal, () => child.kill(signal)])
  for (const [signal, listener] of forward) process.on(signal, listener)
  const orphaned = watchParent(() => child.kill('SIGTERM'))
  const ended = () => {
    clearInterval(orphaned)
    for (const [signal, listener] of forward) process.off(signal, listener)
  }

  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      ended()
      // A pinned Node that cannot be executed here, as on a system without glibc.
      if (node === process.execPath) reject(error)
      else if (hostIsRecent()) runWith(process.execPath, file, args).then(resolve, reject)
      else reject(new Error(needsNode24()))
    })
    child.once('exit', (code, signal) => {
      ended()
      if (signal) process.kill(process.pid, signal)
      else process.exitCode = code
      resolve()
    })
  })
}

/** Under npm a shell may stand between the two, which a signal ends without passing it on. */
function watchParent(isGone) {
  if (!process.env.npm_lifecycle_event) return undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    isGone()
  }, 500)
  return timer.unref()
}

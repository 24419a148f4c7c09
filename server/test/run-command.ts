import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { runCommandLine } from '#command-line/program.ts'
import { childEnvironment } from './node-process.ts'

const root = resolve(import.meta.dirname, '../..')

/** What a command has written: to either stream, and to both. */
interface CommandOutcome {
  code: number | null
  out: string
  err: string
  output: string
}

/** Runs a command in this process, with these variables only: a process of its own takes a second to load its modules. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandOutcome> {
  const streams = { out: new PassThrough(), err: new PassThrough() }
  const written = recordOutput(streams)
  const code = await runCommandLine([...args], {
    ...(streams as unknown as Record<keyof typeof streams, NodeJS.WriteStream>),
    ...{ env, root },
    runEntryPoint: () => Promise.reject(new Error('Start a process for this command.')),
  })
  for (const stream of Object.values(streams)) stream.end()
  return { code, ...(await written) }
}

/** Starts a command in a process of its own, with these variables only. */
export const startCommand = (args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, [join(root, 'server/bin/vacancy.ts'), ...args], {
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Waits until a process has ended. */
export async function outputOf(child: ChildProcess): Promise<CommandOutcome> {
  const written = recordOutput({ out: child.stdout!, err: child.stderr! })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...(await written) }
}

/** Reads both streams until they end. */
async function recordOutput(streams: Record<'out' | 'err', Readable>) {
  const written = { out: '', err: '', output: '' }
  const record = async (name: 'out' | 'err') => {
    for await (const text of streams[name].setEncoding('utf8')) {
      written[name] += text as string
      written.output += text as string
    }
  }
  await Promise.all([record('out'), record('err')])
  return written
}

import { spawn, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
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

export interface FollowedCommand {
  /** Waits until the command has written something that matches. */
  written(pattern: RegExp): Promise<RegExpExecArray>
  outcome: Promise<CommandOutcome>
}

/** Runs a command in this process, with these variables only: a process of its own takes a second to load its modules. */
export const runCommand = (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandOutcome> => followCommand(args, env).outcome

/** Starts a command in this process that waits for something, such as a sign-in. */
export function followCommand(args: readonly string[], env: Record<string, string> = {}): FollowedCommand {
  const streams = { out: new PassThrough(), err: new PassThrough() }
  const progress = new EventEmitter<{ text: [] }>()
  let output = ''
  const written = recordOutput(streams, (text) => {
    output += text
    progress.emit('text')
  })
  const run = async () => {
    const code = await runCommandLine([...args], {
      ...(streams as unknown as Record<keyof typeof streams, NodeJS.WriteStream>),
      ...{ env, root },
      runEntryPoint: () => Promise.reject(new Error('Start a process for this command.')),
    })
    for (const stream of Object.values(streams)) stream.end()
    return { code, ...(await written) }
  }
  const outcome = run()
  return {
    outcome,
    written: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output)
          if (match) resolve(match)
        }
        progress.on('text', look)
        look()
        outcome.then(({ code }) => reject(new Error(`It ended with ${code}: ${output}`)), reject)
      }),
  }
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
async function recordOutput(
  streams: Record<'out' | 'err', Readable>,
  onText: (text: string) => void = () => {},
) {
  const written = { out: '', err: '', output: '' }
  const record = async (name: 'out' | 'err') => {
    for await (const text of streams[name].setEncoding('utf8')) {
      written[name] += text as string
      written.output += text as string
      onText(text as string)
    }
  }
  await Promise.all([record('out'), record('err')])
  return written
}

import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCommandLine } from '#command-line/program.ts'

export interface CommandOutcome {
  code: number
  out: string
  err: string
}

/** Runs `vacancy` in this process. */
export async function runCommand(args: string[], env: Record<string, string>): Promise<CommandOutcome> {
  const [out, err] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(out), text(err)])
  const streams = { out, err } as unknown as Record<'out' | 'err', NodeJS.WriteStream>
  const root = resolve(import.meta.dirname, '../..')
  const code = await runCommandLine(args, { env, root, ...streams, runEntryPoint: async () => {} })
  out.end()
  err.end()
  const [outText, errText] = await printed
  return { code, out: outText, err: errText }
}

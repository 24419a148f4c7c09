import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export type SyncCommand = ReturnType<typeof syncCommand>

/** Runs `vacancy sync` in a process of its own with an empty VACANCY_HOME. */
export function syncCommand(url: string, token: string) {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-sync-command-'))
  const program = resolve(import.meta.dirname, '../bin/vacancy.ts')

  const start = (args: string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [program, 'sync', ...args], {
      env: {
        PATH: process.env['PATH'],
        VACANCY_HOME: home,
        VACANCY_URL: url,
        VACANCY_TOKEN: token,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  return {
    start,
    async run(args: string[], env?: Record<string, string>) {
      const child = start(args, env)
      let out = ''
      let err = ''
      child.stdout!.on('data', (text) => (out += text))
      child.stderr!.on('data', (text) => (err += text))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, out, err }
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, startCommand } from './run-command.ts'

export type SyncCommand = ReturnType<typeof syncCommand>

/** Runs `vacancy sync` with an empty VACANCY_HOME. */
export function syncCommand(url: string, token: string) {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-sync-command-'))
  const settings = { VACANCY_HOME: home, VACANCY_URL: url, VACANCY_TOKEN: token }
  return {
    /** In a process of its own. */
    start: (args: string[], env: Record<string, string> = {}) =>
      startCommand(['sync', ...args], { ...settings, ...env }),
    run: (args: string[], env: Record<string, string> = {}) =>
      runCommand(['sync', ...args], { ...settings, ...env }),
    close: () => rmSync(home, { recursive: true, force: true }),
  }
}

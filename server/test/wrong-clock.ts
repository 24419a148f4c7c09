import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { World } from './world.ts'

const preloaded = pathToFileURL(join(import.meta.dirname, '../../chaos/clock-ahead.ts')).href

/** The settings of a process whose clock is ahead by so many milliseconds, or behind. */
export function wrongClock({ config }: World, aheadMs: number): Record<string, string> {
  const path = join(config.home, `clock${aheadMs}`)
  writeFileSync(path, String(aheadMs))
  return { NODE_OPTIONS: `--import=${preloaded}`, CHAOS_CLOCK: path }
}

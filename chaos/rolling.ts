import { setTimeout as sleep } from 'node:timers/promises'
import type { House } from './house.ts'
import type { ForkedPart, StartAs } from './part.ts'

/** How processes ended that were asked to. */
export interface Rolled {
  codes: (number | null)[]
  stopMs: number[]
  readyMs: number[]
}

/** One process after the other ends politely and comes back, perhaps as another build. */
export async function rollOver(parts: readonly ForkedPart[], loops: number, as?: StartAs): Promise<Rolled> {
  const rolled: Rolled = { codes: [], stopMs: [], readyMs: [] }
  for (let n = 0; n < loops; n++)
    for (const part of parts) {
      await sleep(300 + 500 * Math.random())
      const startedAt = performance.now()
      rolled.codes.push(await part.kill('SIGTERM'))
      rolled.stopMs.push(performance.now() - startedAt)
      rolled.readyMs.push(await part.start(as))
    }
  return rolled
}

export const everything = ({ apis, workers }: House): ForkedPart[] => [...apis, ...workers]

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { RestartableProcess, StartOptions } from './managed-process.ts'

/** How processes ended and how long they took. */
export interface RestartTimes {
  codes: (number | null)[]
  stopMs: number[]
  readyMs: number[]
}

/** Stops and starts one process after the other, optionally as another build. */
export async function restartInTurn(
  parts: readonly RestartableProcess[],
  loops: number,
  options?: StartOptions,
): Promise<RestartTimes> {
  const times: RestartTimes = { codes: [], stopMs: [], readyMs: [] }
  for (let n = 0; n < loops; n++)
    for (const part of parts) {
      await sleep(300 + 500 * Math.random())
      const startedAt = performance.now()
      times.codes.push(await part.kill('SIGTERM'))
      times.stopMs.push(performance.now() - startedAt)
      times.readyMs.push(await part.start(options))
    }
  return times
}

export const allProcesses = ({ apis, workers }: Cluster): RestartableProcess[] => [...apis, ...workers]

import { setTimeout as sleep } from 'node:timers/promises'
import { openWork } from './check-tables.ts'
import type { House } from './house.ts'

/** Waits until nothing is left to do; answers how long that took, or what is left when it is not done in time. */
export async function settle(house: House, seconds = 120): Promise<{ seconds: number; left: string[] }> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1_000
  let quiet = 0
  for (;;) {
    const work = await openWork({ house })
    quiet = work.length === 0 ? quiet + 1 : 0
    // Twice in a row: one kind of work leaves another behind.
    if (quiet === 2) return { seconds: passed(), left: [] }
    if (passed() > seconds)
      return { seconds: passed(), left: work.map(({ what, count }) => `${count} ${what}`) }
    await sleep(200)
  }
}

// The running parts of the product, and the order in which they go down.

/** Nobody may be served by an API without its workers, nor work without a database. */
const downwards = [
  ['API'],
  ['worker', 'sync worker', 'payment worker', 'notification worker'],
  ['sandbox'],
  ['database'],
] as const

export type Part = {
  name: (typeof downwards)[number][number]
  stop: (timeoutMs: number) => Promise<void>
  timeoutMs: number
}

/** Thrown into a start that was told to stop on the way. */
export class Stopped extends Error {}

export function openParts() {
  const running: Part[] = []
  let isStopping = false
  return {
    add: async (part: Part) => {
      if (!isStopping) return void running.push(part)
      await part.stop(part.timeoutMs)
      throw new Stopped(`The ${part.name} came up too late.`)
    },
    /** A second call, while the first still waits, leaves no more time. */
    stopAll: async ({ isForced = false } = {}) => {
      isStopping = true
      if (isForced) return void (await Promise.all(running.map(({ stop }) => stop(0))))
      for (const names of downwards) {
        const together = running.filter(({ name }) => (names as readonly string[]).includes(name))
        await Promise.all(together.map(({ stop, timeoutMs }) => stop(timeoutMs)))
      }
    },
  }
}

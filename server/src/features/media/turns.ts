import { Unavailable } from '#errors.ts'

/** So many at a time, so many more that wait; who comes after them is sent away. */
export function openTurns(atATime: number, mostWaiting: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atATime) {
      if (waiting.length >= mostWaiting) throw new Unavailable('Too many files are being sent at once.')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export type InTurn = ReturnType<typeof openTurns>

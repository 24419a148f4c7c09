import { setFlagsFromString } from 'node:v8'

/** How much the heap may grow beyond what lives before it is collected, while memory matters more than time. */
const growthPercent = 8
let frugal = 0

/**
 * Does work that leaves much garbage behind. V8 lets the heap grow to a multiple of what lives, which for a full push
 * of hundreds of rooms and nights is hundreds of megabytes; told so for ever, small pushes would take half as long
 * again (bench/full-sync.ts, bench/pushes.ts).
 */
export async function frugally<T>(work: () => Promise<T>): Promise<T> {
  if (frugal++ === 0) setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
  try {
    return await work()
  } finally {
    // Zero is V8's own judgement.
    if (--frugal === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

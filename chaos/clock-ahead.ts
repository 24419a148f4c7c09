import { readFileSync } from 'node:fs'

/**
 * Preloaded into a process of the product. Shifts `Date` by the number of milliseconds in a file, as when the time of a
 * machine is set. The monotonic clock stays as it is.
 */
const path = process.env['CHAOS_CLOCK']
const RealDate = Date
let offsetMs = 0

if (path) {
  const readOffset = () => {
    try {
      offsetMs = Number(readFileSync(path, 'utf8')) || 0
    } catch {
      offsetMs = 0
    }
  }
  readOffset()
  setInterval(readOffset, 50).unref()
  const shifted = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [RealDate.now() + offsetMs] : args, newTarget) as object,
    apply: () => new RealDate(RealDate.now() + offsetMs).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => RealDate.now() + offsetMs : (Reflect.get(target, name, receiver) as unknown),
  })
  globalThis.Date = shifted
}

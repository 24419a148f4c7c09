import { readFileSync } from 'node:fs'

/**
 * Loaded first into a process of the product: its clock goes wrong by as many milliseconds as a file says, from one moment
 * to the next, as when somebody sets the time of a machine. What passes is measured as before, because that clock never
 * steps.
 */
const path = process.env['CHAOS_CLOCK']
const RealDate = Date
let aheadMs = 0

if (path) {
  const look = () => {
    try {
      aheadMs = Number(readFileSync(path, 'utf8')) || 0
    } catch {
      aheadMs = 0
    }
  }
  look()
  setInterval(look, 50).unref()
  const shifted = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [RealDate.now() + aheadMs] : args, newTarget) as object,
    apply: () => new RealDate(RealDate.now() + aheadMs).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => RealDate.now() + aheadMs : (Reflect.get(target, name, receiver) as unknown),
  })
  globalThis.Date = shifted
}

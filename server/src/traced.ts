import { Failure, Unavailable } from './errors.ts'
import { metrics } from './metrics.ts'
import { step, type Ended, type Verdict } from './telemetry.ts'

type Calls<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
}[keyof Port]

/**
 * The same system with a span and a figure for each of these calls. Of a call only its name is kept: what goes in and
 * comes out is somebody's.
 */
export function traced<Port extends object>(system: string, port: Port, ...calls: Calls<Port>[]): Port {
  const shadow = { ...port } as Record<PropertyKey, unknown>
  for (const name of calls) {
    const call = port[name] as (...args: unknown[]) => Promise<unknown>
    const operation = String(name)
    shadow[name] = (...args: unknown[]) => {
      const began = performance.now()
      return step(
        `${system} ${operation}`,
        () => call(...args),
        (ended) => {
          const verdict = verdictOn(ended)
          const outcome = verdict.failed ? 'failed' : 'ok'
          metrics.outsideAnswered(system, operation, outcome, performance.now() - began)
          return verdict
        },
      )
    }
  }
  return shadow as Port
}

/** What our own rules refuse inside a transaction is no fault of the database. */
function verdictOn(ended: Ended<unknown>): Verdict {
  if ('error' in ended) {
    const { error } = ended
    const failed = !(error instanceof Failure) || error instanceof Unavailable
    return { failed, attributes: { 'error.type': wordFor(error) } }
  }
  const { status } = (ended.result ?? {}) as { status?: unknown }
  if (typeof status !== 'number') return { failed: false }
  return { failed: status >= 400, attributes: { 'http.response.status_code': status } }
}

function wordFor(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

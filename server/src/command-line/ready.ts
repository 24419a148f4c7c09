import type { Environment } from '#start/environment.ts'

/** Whether the API (PORT) or a worker (METRICS_PORT) of this machine says that it is ready; for health checks. */
export async function isReady(env: Environment): Promise<boolean> {
  const { HOST = '' } = env
  // A process that listens on all addresses, or by default, answers at this one.
  const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST
  const ports = [env['PORT'] || '3000', env['METRICS_PORT'] || '9464']
  const answers = await Promise.all(
    ports.map(async (port) => {
      try {
        const { status } = await fetch(`http://${host}:${port}/health/ready`, {
          signal: AbortSignal.timeout(4_000),
        })
        return status === 200
      } catch {
        return false
      }
    }),
  )
  return answers.includes(true)
}

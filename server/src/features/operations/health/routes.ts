import { Type } from 'typebox'
import { cached } from './checks.ts'
import { sendProblem } from '#http/problems.ts'
import type { Routes } from '#http/routes.ts'

import { Health, overallStatus, runCheck, type HealthChecks, type HealthStatus } from './health.ts'

export const healthRoutes =
  (checks: HealthChecks, version: string, publicUrl: string): Routes =>
  async (app) => {
    // Anybody may ask, without a limit; however many do, the dependencies are asked once in this time.
    const readChecks = cached(() => runChecks(checks), 2_000)
    let current: Promise<HealthStatus> | undefined
    /** The answer is never old, and however many ask at once, the database is asked once. */
    const checkDatabase = () => (current ??= runCheck(checks.database).finally(() => (current = undefined)))
    app.get(
      '/health',
      {
        schema: {
          tags: ['health'],
          summary: 'The health of the service and its dependencies, at most 2 seconds old',
          response: { 200: Health },
        },
      },
      async (_request, reply) => {
        const checkResults = await readChecks()
        return reply.header('cache-control', 'no-store').send({
          status: overallStatus(checkResults),
          timestamp: new Date().toISOString(),
          version,
          uptime: Math.round(process.uptime() * 1_000) / 1_000,
          checks: checkResults,
        })
      },
    )

    app.get(
      '/health/ready',
      {
        schema: {
          tags: ['health'],
          summary: 'Check whether requests can be served; 503 while the database is unavailable',
          response: { 200: Type.Object({ ready: Type.Boolean() }) },
        },
      },
      async (request, reply) => {
        if ((await checkDatabase()) !== 'unhealthy') return reply.send({ ready: true })
        return sendProblem(reply, request, publicUrl, {
          code: 'unavailable',
          detail: 'The database does not respond.',
        })
      },
    )
  }

type CheckResults = Record<keyof HealthChecks, HealthStatus>

const runChecks = async (checks: HealthChecks): Promise<CheckResults> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries<HealthChecks[keyof HealthChecks]>({ ...checks }).map(
        async ([name, check]) => [name, await runCheck(check)] as const,
      ),
    ),
  ) as CheckResults

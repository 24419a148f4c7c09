import { Type } from 'typebox'
import { sendProblem } from '#http/problems.ts'
import type { Routes } from '#http/routes.ts'
import { Health, overall, wordOf, type Checks, type HealthWord } from './health.ts'

export const healthRoutes =
  (checks: Checks, version: string, publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/health',
      {
        schema: { tags: ['health'], summary: 'How the service and its parts are', response: { 200: Health } },
      },
      async (_request, reply) => {
        const found = await wordsOf(checks)
        return reply.header('cache-control', 'no-store').send({
          status: overall(found),
          timestamp: new Date().toISOString(),
          version,
          uptime: Math.round(process.uptime() * 1_000) / 1_000,
          checks: found,
        })
      },
    )

    app.get(
      '/health/ready',
      {
        schema: {
          tags: ['health'],
          summary: 'Whether requests can be served: 503 while the database is away',
          response: { 200: Type.Object({ ready: Type.Boolean() }) },
        },
      },
      async (request, reply) => {
        if ((await wordOf(checks.database)) !== 'unhealthy') return reply.send({ ready: true })
        return sendProblem(reply, request, publicUrl, {
          code: 'unavailable',
          detail: 'The database does not answer.',
        })
      },
    )
  }

type Words = Record<keyof Checks, HealthWord>

const wordsOf = async (checks: Checks): Promise<Words> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries<Checks[keyof Checks]>({ ...checks }).map(
        async ([name, check]) => [name, await wordOf(check)] as const,
      ),
    ),
  ) as Words

import type { Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { Unauthenticated } from '#errors.ts'
import { text } from '#schema/fields.ts'
import type { Routes } from '#http/routes.ts'
import { canScrape } from '#http/monitoring-server.ts'
import { metricsText, metricsType, startMetrics } from '#telemetry/metrics.ts'
import { backlogGauges, processGauges, secretGauges } from './gauges.ts'
import { openSecretAges } from '#features/operations/secret-ages/secret-ages.ts'

interface MetricsOptions {
  readonly database: Database
  readonly config: Pick<Config, 'home' | 'metrics' | 'retention' | 'secrets'>
}

/** Metrics for Prometheus. Public unless METRICS_TOKEN is set. */
export const metricsRoutes = ({ database, config }: MetricsOptions, version: string): Routes => {
  startMetrics(version)
  const { token } = config.metrics
  const updateBacklog = backlogGauges(database, config.retention.notificationDays)
  const updateProcess = processGauges(database, config.home)
  const updateSecrets = secretGauges(openSecretAges(database, config.secrets))
  return async (app) => {
    // The age of a secret counts from its first use, so it is recorded at the start.
    app.addHook('onReady', updateSecrets)
    app.get(
      '/metrics',
      {
        schema: {
          tags: ['health'],
          summary: 'Metrics for Prometheus (text format 0.0.4)',
          description: 'If METRICS_TOKEN is set, it must be sent as a bearer token.',
          produces: ['text/plain'],
          response: { 200: text(10_485_760) },
        },
      },
      async (request, reply) => {
        if (!canScrape(request.headers.authorization, token))
          throw new Unauthenticated('Send METRICS_TOKEN as a bearer token.')
        // The gauges of the process come first: the other two wait for a connection, and would be counted.
        await Promise.all([updateProcess(), updateBacklog(), updateSecrets()])
        return reply
          .type(metricsType)
          .header('cache-control', 'no-store')
          .send(await metricsText())
      },
    )
  }
}

import type { Config } from '#config.ts'
import type { Database } from '#db/connect.ts'
import { Unauthenticated } from '#errors.ts'
import { text } from '#fields.ts'
import type { Routes } from '#http/routes.ts'
import { mayScrape } from '#http/scraping.ts'
import { metricsText, metricsType, startMetrics } from '#metrics.ts'
import { backlogOf } from './backlog.ts'
import { openSecretAges } from '../secret-ages/secret-ages.ts'
import { ownFigures } from './own-figures.ts'
import { secretFigures } from './secret-figures.ts'

interface Means {
  readonly database: Database
  readonly config: Pick<Config, 'home' | 'metrics' | 'retention' | 'secrets'>
}

/** For Prometheus. Open, unless there is a token for it. */
export const metricsRoutes = ({ database, config }: Means, version: string): Routes => {
  startMetrics(version)
  const { token } = config.metrics
  const readBacklog = backlogOf(database, config.retention.notificationDays)
  const readOwn = ownFigures(database, config.home)
  const readSecrets = secretFigures(openSecretAges(database, config.secrets))
  return async (app) => {
    // A secret is as old as its first use, whether or not somebody looks then.
    app.addHook('onReady', readSecrets)
    app.get(
      '/metrics',
      {
        schema: {
          tags: ['health'],
          summary: 'Figures of the service, for Prometheus (text format 0.0.4)',
          description: 'With METRICS_TOKEN set, only for who sends it as a bearer token.',
          produces: ['text/plain'],
          response: { 200: text(10_485_760) },
        },
      },
      async (request, reply) => {
        if (!mayScrape(request.headers.authorization, token))
          throw new Unauthenticated('The figures are for who has the token of the metrics.')
        await Promise.all([readBacklog(), readOwn(), readSecrets()])
        return reply
          .type(metricsType)
          .header('cache-control', 'no-store')
          .send(await metricsText())
      },
    )
  }
}

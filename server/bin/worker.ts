import { readConfig } from '#config.ts'
import { events, logTo } from '#events.ts'
import { ownFigures } from '#features/metrics/own-figures.ts'
import { databaseAnswers } from '#features/health/queries.ts'
import { readWorkerHealth } from '#features/health/worker-health.ts'
import { tellMissingKeys } from '#features/sealed-values/missing-keys.ts'
import { serveMonitoring } from '#http/scraping.ts'
import { live } from '#lifetime.ts'
import { openResources, openWork } from '#resources.ts'
import { startTelemetry } from '#telemetry.ts'
import { version } from '#version.ts'
import { isQueue, startWorkers, workedQueues } from '#workers.ts'

/** The port that OpenTelemetry gives to Prometheus exporters; a second worker on the machine takes the next one. */
const defaultPorts = Array.from({ length: 100 }, (_, at) => 9_464 + at)

/** Works the queues named as arguments, or all, until it is told to stop: then running jobs end. */
await live(async () => {
  const names = process.argv.slice(2)
  for (const name of names) if (!isQueue(name)) throw new Error(`There is no queue called ${name}.`)
  const config = readConfig(process.env)
  logTo(config.logLevel, 'worker')
  const stopTelemetry = await startTelemetry(config)
  const resources = await openResources(config, 'worker')
  const queue = await openWork(config)
  const queues = names.length ? names.filter(isQueue) : workedQueues
  const stopWork = await startWorkers(resources, queue, queues)
  const { port, token } = config.metrics
  const health = () =>
    readWorkerHealth(
      { database: () => databaseAnswers(resources.database), queue: queue.responds },
      version,
      queues,
    )
  const monitoring = await serveMonitoring({
    ...{ token, host: config.http.host, version },
    ports: port === null ? defaultPorts : [port],
    read: ownFigures(resources.database, config.home),
    readHealth: health,
    isReady: async () => (await health()).status === 'healthy',
  })
  events.started({ queues, monitoring_url: monitoring.url })
  void tellMissingKeys(resources.database, config.secrets.keys)
  return {
    facts: { queues, monitoring_url: monitoring.url },
    async stop() {
      await monitoring.close()
      await stopWork(5_000)
      await resources.close()
      await stopTelemetry()
    },
  }
})

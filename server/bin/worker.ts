import { readConfig } from '#config/config.ts'
import { events, startLog } from '#telemetry/log.ts'
import { processGauges } from '#features/operations/metrics/gauges.ts'
import { ping } from '#features/operations/health/checks.ts'
import { readWorkerHealth } from '#features/operations/health/health.ts'
import { logMissingKeys } from '#features/operations/secrets/missing-keys.ts'
import { serveMonitoring } from '#http/monitoring-server.ts'
import { runUntilSignalled } from '#process/run-until-signalled.ts'
import { openResources, connectWorkerQueue } from '#resources.ts'
import { startTelemetry } from '#telemetry/tracing.ts'
import { version } from '#process/version.ts'
import { isQueue, startWorkers, workedQueues } from '#workers.ts'

/** 9464 is OpenTelemetry's port for Prometheus exporters; each further worker on the machine takes the next one. */
const defaultPorts = Array.from({ length: 100 }, (_, at) => 9_464 + at)

/** Runs the jobs of the queues given as arguments, or of all, until it is signalled. Then running jobs are finished. */
await runUntilSignalled(async () => {
  const names = process.argv.slice(2)
  for (const name of names) if (!isQueue(name)) throw new Error(`There is no queue named ${name}.`)
  const config = readConfig(process.env)
  startLog(config.logLevel, 'worker')
  const stopTelemetry = await startTelemetry(config)
  const resources = await openResources(config, 'worker')
  const queue = await connectWorkerQueue(config)
  const queues = names.length ? names.filter(isQueue) : workedQueues
  const stopWork = await startWorkers(resources, queue, queues)
  const { port, token } = config.metrics
  const health = () =>
    readWorkerHealth({ database: () => ping(resources.database), queue: queue.responds }, version, queues)
  const monitoring = await serveMonitoring({
    ...{ token, host: config.http.host, version },
    ports: port === null ? defaultPorts : [port],
    read: processGauges(resources.database, config.home),
    readHealth: health,
    isReady: async () => (await health()).status === 'healthy',
  })
  events.started({ queues, monitoring_url: monitoring.url })
  void logMissingKeys(resources.database, config.secrets.keys)
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

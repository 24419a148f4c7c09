import { readConfig } from '#config.ts'
import { events, logTo } from '#events.ts'
import { ownFigures } from '#features/metrics/own-figures.ts'
import { tellMissingKeys } from '#features/sealed-values/missing-keys.ts'
import { listenForScrapes } from '#http/scraping.ts'
import { live } from '#lifetime.ts'
import { openResources, openWork } from '#resources.ts'
import { startTelemetry } from '#telemetry.ts'
import { version } from '#version.ts'
import { isQueue, startWorkers } from '#workers.ts'

/** Works the queues named as arguments, or all, until it is told to stop: then running jobs end. */
await live(async () => {
  const names = process.argv.slice(2)
  for (const name of names) if (!isQueue(name)) throw new Error(`There is no queue called ${name}.`)
  const config = readConfig(process.env)
  logTo(config.logLevel, 'worker')
  const stopTelemetry = await startTelemetry(config)
  const resources = await openResources(config, 'worker')
  const stopWork = await startWorkers(
    resources,
    await openWork(config),
    names.length ? names.filter(isQueue) : undefined,
  )
  const { port, token } = config.metrics
  const scrapes =
    port === null
      ? null
      : await listenForScrapes({
          ...{ port, token, host: config.http.host, version },
          read: ownFigures(resources.database, config.home),
        })
  events.started({ queues: names })
  void tellMissingKeys(resources.database, config.secrets.keys)
  return {
    facts: { queues: names, metrics_url: scrapes?.url ?? null },
    async stop() {
      await scrapes?.close()
      await stopWork(5_000)
      await resources.close()
      await stopTelemetry()
    },
  }
})

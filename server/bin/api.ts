import { openApp } from '#app.ts'
import { readConfig } from '#config/config.ts'
import { events, startLog } from '#telemetry/log.ts'
import { logMissingKeys } from '#features/operations/secrets/missing-keys.ts'
import { drain } from '#http/shutdown.ts'
import { runUntilSignalled } from '#process/run-until-signalled.ts'
import { openResources } from '#resources.ts'
import { startTelemetry } from '#telemetry/tracing.ts'

/** Serves HTTP until it is signalled. Then open requests are finished and connections are closed. */
await runUntilSignalled(async () => {
  const config = readConfig(process.env)
  startLog(config.logLevel, 'api')
  const stopTelemetry = await startTelemetry(config)
  const resources = await openResources(config, 'api')
  const [app] = await Promise.all([openApp(resources), resources.identity.prepare()])
  const url = await app.listen({ port: config.http.port, host: config.http.host })
  events.started({ url })
  void logMissingKeys(resources.database, config.secrets.keys)
  return {
    facts: { url },
    async stop() {
      await drain(app)
      await app.close()
      await resources.close()
      await stopTelemetry()
    },
  }
})

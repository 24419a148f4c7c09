import { openApp } from '#app.ts'
import { readConfig } from '#config.ts'
import { events, logTo } from '#events.ts'
import { tellMissingKeys } from '#features/sealed-values/missing-keys.ts'
import { drain } from '#http/closing.ts'
import { live } from '#lifetime.ts'
import { openResources } from '#resources.ts'
import { startTelemetry } from '#telemetry.ts'

/** Serves HTTP until it is told to stop: then open requests end, and the parts behind are closed. */
await live(async () => {
  const config = readConfig(process.env)
  logTo(config.logLevel, 'api')
  const stopTelemetry = await startTelemetry(config)
  const resources = await openResources(config, 'api')
  const app = await openApp(resources)
  const url = await app.listen({ port: config.http.port, host: config.http.host })
  events.started({ url })
  void tellMissingKeys(resources.database, config.secrets.keys)
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

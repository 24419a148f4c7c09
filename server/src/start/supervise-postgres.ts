/** The embedded database of a running product, restarted when it ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { StartContext } from './start-context.ts'
import { startPostgres, type Postgres } from './postgres.ts'

const maxLosses = 3
const stableMs = 60_000

export async function superviseDatabase(
  context: Pick<StartContext, 'home' | 'progress' | 'components' | 'fail'>,
) {
  const { home, progress, components, fail } = context
  const credentials = { user: 'vacancy', password: home.secrets.database_password, database: 'vacancy' }
  const open = (preferredPort = home.ports.postgres) =>
    startPostgres({ home: home.path, credentials, ...(preferredPort && { preferredPort }) })
  let current = await progress.step(() => open(), describeStart)
  let isStopping = false
  await components.add({
    name: 'database',
    timeoutMs: 1_200,
    stop: async (timeoutMs) => {
      isStopping = true
      await current.stop(timeoutMs)
    },
  })
  watch().catch(fail)
  return { url: current.url, port: current.port }

  async function watch() {
    for (let losses = 1; ; losses++) {
      const startedAt = performance.now()
      const reason = await current.lost
      if (performance.now() - startedAt > stableMs) losses = 1
      if (losses > maxLosses) throw new Error(`${reason} repeatedly; its log is ${current.logPath}`)
      progress.notice(`${reason} and is being restarted; its log is ${current.logPath}`)
      await sleep(250 * losses)
      if (isStopping) return
      const next = await open(current.port)
      // The API and the workers use the old address.
      if (next.port !== current.port)
        throw new Error(`Another program took port ${current.port} of the database.`)
      current = next
      if (isStopping) return void (await current.stop())
    }
  }
}

function describeStart({ port, report }: Postgres) {
  const recovery = {
    none: '',
    'stale pid file removed': '; it had not been shut down',
    'orphan stopped': '; an orphaned server was stopped first',
    'orphan killed': '; an orphaned server was killed first',
  }[report.leftover]
  return `PostgreSQL ${report.wasCreated ? 'created and started' : 'started'} on port ${port}${recovery}`
}

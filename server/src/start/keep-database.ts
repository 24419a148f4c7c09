// The embedded database of a running product, started again when it is lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Start } from './one-start.ts'
import { startPostgres, type Postgres } from './postgres.ts'

const losesBeforeGivingUp = 3
const steadyMs = 60_000

export async function keepDatabase(start: Pick<Start, 'home' | 'progress' | 'parts' | 'fail'>) {
  const { home, progress, parts, fail } = start
  const credentials = { user: 'vacancy', password: home.secrets.database_password, database: 'vacancy' }
  const open = (preferredPort = home.ports.postgres) =>
    startPostgres({ home: home.path, credentials, ...(preferredPort && { preferredPort }) })
  let current = await progress.step(() => open(), describe)
  let isStopping = false
  await parts.add({
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
      if (performance.now() - startedAt > steadyMs) losses = 1
      if (losses > losesBeforeGivingUp)
        throw new Error(`${reason} again and again; its log is ${current.logPath}`)
      progress.notice(`${reason} and is started again; its log is ${current.logPath}`)
      await sleep(250 * losses)
      if (isStopping) return
      const next = await open(current.port)
      // The API and the workers know the old address.
      if (next.port !== current.port)
        throw new Error(`Another program took port ${current.port} of the database.`)
      current = next
      if (isStopping) return void (await current.stop())
    }
  }
}

function describe({ port, report }: Postgres) {
  const found = {
    none: '',
    'stale note removed': '; it had ended without a shutdown',
    'orphan stopped': '; one left running by a killed start was stopped first',
    'orphan killed': '; one left running by a killed start was ended by force first',
  }[report.leftover]
  return `PostgreSQL ${report.wasCreated ? 'created and started' : 'started'} on port ${port}${found}`
}

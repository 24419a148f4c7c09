import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type Postgres } from '../server/src/start/postgres.ts'

/** Starts a PostgreSQL of this benchmark's own, in which all later worlds have their databases. */
export async function openBenchPostgres(
  parts: AsyncDisposableStack,
  { isDurable }: { isDurable: boolean },
): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
  parts.defer(() => rmSync(home, { recursive: true, force: true }))
  const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
  const postgres = await startPostgres({ home, credentials, isDurable })
  parts.defer(async () => {
    await postgres.stop()
    rmSync(postgres.dataDir, { recursive: true, force: true })
  })
  process.env['TEST_DATABASE_URL'] = postgres.url
  return postgres
}

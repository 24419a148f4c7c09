import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type Postgres } from '../server/src/start/postgres.ts'
import { removeFolder } from '../server/test/remove-folder.ts'

/** Starts a PostgreSQL of this benchmark's own, in which all later worlds have their databases. */
export async function openBenchPostgres(
  parts: AsyncDisposableStack,
  { isDurable }: { isDurable: boolean },
): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
  parts.defer(() => removeFolder(home))
  const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
  const postgres = await startPostgres({ home, credentials, isDurable })
  parts.defer(async () => {
    await postgres.stop()
    removeFolder(postgres.dataDir)
  })
  process.env['TEST_DATABASE_URL'] = postgres.url
  return postgres
}

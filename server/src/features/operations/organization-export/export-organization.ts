import { mkdir, readdir } from 'node:fs/promises'
import type { Config } from '#config/config.ts'
import type { Connection } from '#db/connect.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { openTransferDatabase } from './transfer-database.ts'
import { exportedTables } from './exported-tables.ts'
import { writeLines } from './line-files.ts'
import { pathOfTable, writeManifest, type CheckedManifest, type Manifest } from './manifest.ts'
import { exportMedia } from './media-files.ts'
import { describeTable, readLines, readSchemaVersion } from './table-rows.ts'

export interface ExportOptions {
  readonly orgId: string
  /** A folder that does not exist, or is empty. */
  readonly folder: string
  /** Exports secrets as they are stored: sealed with SECRET_KEYS. Without it they are left out. */
  readonly withSealedSecrets: boolean
  readonly progress: (what: string, count: number) => void
}

/**
 * Writes everything that belongs to an organization into a folder: a file of JSON lines for each table, as they were at
 * one moment, the media, and a manifest with the checksums. @throws NotFound, Conflict, Invalid
 */
export async function exportOrganization(
  config: Pick<Config, 'database'>,
  storage: Storage,
  { orgId, folder, withSealedSecrets, progress }: ExportOptions,
): Promise<CheckedManifest & { missing: readonly string[] }> {
  await using transfer = openTransferDatabase(config, 'vacancy_app')
  const { name, exported_at, schema, tables } = await transfer.transaction(
    { orgId, isSnapshot: true },
    async (connection) => {
      const facts = await findOrganization(connection, orgId)
      await assertNoErasureRuns(connection)
      await createFolder(folder)
      const tables: Manifest['tables'] = []
      for (const table of exportedTables) {
        const columns = await describeTable(connection, table.name)
        const counted = count(readLines(connection, table, columns, withSealedSecrets), (rows) =>
          progress(table.name, rows),
        )
        tables.push({ name: table.name, ...(await writeLines(pathOfTable(folder, table.name), counted)) })
      }
      return { ...facts, schema: await readSchemaVersion(connection), tables }
    },
  )
  const { media, missing } = await exportMedia(storage, folder, (files) => progress('media files', files))
  const written = await writeManifest(folder, {
    format: 'vacancy organization 1',
    organization: { id: orgId, name },
    exported_at,
    schema,
    secrets: withSealedSecrets ? 'sealed' : 'left out',
    tables,
    media,
  })
  return { ...written, missing }
}

/** @throws Invalid */
async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw semanticError('to', `${folder} is not empty.`)
}

/** @throws NotFound */
async function findOrganization(connection: Connection, orgId: string) {
  const { rows } = await connection.raw(
    `select name, iso(now()) as exported_at from organizations where id = current_org()`,
  )
  if (!rows[0]) throw new NotFound('organization', orgId)
  return rows[0] as { name: string; exported_at: string }
}

/** The export would keep what is being erased. @throws Conflict */
export async function assertNoErasureRuns(connection: Connection): Promise<void> {
  const { rows } = await connection.raw(
    `select id from guest_erasures where org_id = current_org() and status <> 'completed' limit 1`,
  )
  if (rows.length === 0) return
  throw new Conflict('conflict', 'The data of a guest is being erased. Export again when that is done.')
}

async function* count(parts: AsyncIterable<string[]>, onRows: (rows: number) => void) {
  let rows = 0
  for await (const lines of parts) {
    onRows((rows += lines.length))
    yield lines
  }
}

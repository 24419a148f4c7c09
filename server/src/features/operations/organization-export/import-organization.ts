import type { Config } from '#config/config.ts'
import type { Connection } from '#db/connect.ts'
import { Conflict, semanticError } from '#errors.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import type { Vault } from '#secrets/vault.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import { exportedTables, type ExportedTable } from './exported-tables.ts'
import { digestFile, digestLines, readLinesOf } from './line-files.ts'
import {
  pathOfMediaList,
  pathOfTable,
  readManifest,
  type CheckedManifest,
  type Manifest,
} from './manifest.ts'
import { assertMediaIntact, importMedia } from './media-files.ts'
import { withPlaceholderSecret } from './placeholder-secrets.ts'
import {
  describeTable,
  insertLines,
  readLines,
  readSchemaVersion,
  updateReferences,
  type TableColumns,
} from './table-rows.ts'
import { openTransferDatabase } from './transfer-database.ts'

export interface ImportOptions {
  readonly folder: string
  /** The checksum that the export printed. */
  readonly checksum?: string | undefined
  readonly progress: (what: string, count: number) => void
}

interface ImportContext {
  readonly config: Pick<Config, 'database'>
  readonly storage: Storage
  readonly vault: Vault
}

/**
 * Imports the export of an organization, with its ids. The records are written and compared with the checksums of the
 * manifest in one transaction: an import that is interrupted, or differs, leaves nothing but media files, which the next one
 * uses. An organization that is here with the same content is left as it is. @throws Invalid, Conflict
 */
export async function importOrganization(
  { config, storage, vault }: ImportContext,
  { folder, checksum, progress }: ImportOptions,
): Promise<CheckedManifest & { isNew: boolean }> {
  const checked = await readManifest(folder)
  const { manifest } = checked
  if (checksum !== undefined && checksum !== checked.checksum)
    throw semanticError('checksum', `The export has the checksum ${checked.checksum}, not ${checksum}.`)
  await assertIntact(folder, manifest)
  await assertSameSchema(config, manifest)
  const orgId = manifest.organization.id
  await using transfer = openTransferDatabase(config, 'vacancy_import')
  const isNew = await transfer.transaction({ orgId }, async (connection) => {
    if (!(await isHere(connection))) return true
    await assertEqual(connection, manifest)
    return false
  })
  if (!isNew) return { ...checked, isNew }
  if (manifest.media.files > 0)
    await importMedia(storage, folder, orgId, (files) => progress('media files', files))
  await transfer
    .transaction({ orgId }, async (connection) => {
      await insertAll(
        connection,
        folder,
        (table, lines) =>
          manifest.secrets === 'sealed'
            ? lines
            : lines.map((line) => withPlaceholderSecret(vault, orgId, table, line)),
        progress,
      )
      await assertEqual(connection, manifest)
      await connection.raw(`select pg_notify('members', $1)`, [orgId])
    })
    .catch(explain)
  return { ...checked, isNew }
}

/** @throws Invalid */
async function assertIntact(folder: string, { tables, media }: Manifest): Promise<void> {
  for (const { name, sha256 } of tables)
    if ((await digestFile(pathOfTable(folder, name)).catch(() => null)) !== sha256)
      throw semanticError('folder', `tables/${name}.jsonl was changed or is missing: export again.`)
  if ((await digestFile(pathOfMediaList(folder)).catch(() => null)) !== media.sha256)
    throw semanticError('folder', 'media.sha256 was changed or is missing: export again.')
  await assertMediaIntact(folder)
}

/** @throws Conflict */
async function assertSameSchema(config: Pick<Config, 'database'>, { schema }: Manifest): Promise<void> {
  const here = await asOwner(config, readSchemaVersion)
  if (here === schema) return
  throw new Conflict(
    'conflict',
    `The export has the schema ${schema}, this database has ${here}: both must run the same release.`,
  )
}

async function isHere(connection: Connection): Promise<boolean> {
  const { rows } = await connection.raw('select 1 from organizations where id = current_org()')
  return rows.length > 0
}

async function insertAll(
  connection: Connection,
  folder: string,
  complete: (table: string, lines: string[]) => string[],
  progress: ImportOptions['progress'],
): Promise<void> {
  const described = new Map<ExportedTable, TableColumns>()
  for (const table of exportedTables) described.set(table, await describeTable(connection, table.name))
  for (const [table, columns] of described) {
    let rows = 0
    for await (const lines of readLinesOf(pathOfTable(folder, table.name))) {
      await insertLines(connection, table, columns, complete(table.name, lines))
      progress(table.name, (rows += lines.length))
    }
  }
  for (const table of exportedTables.filter(({ later }) => later !== undefined))
    for await (const lines of readLinesOf(pathOfTable(folder, table.name)))
      await updateReferences(connection, table, lines)
}

/** Compares what is stored with the checksums of the manifest. @throws Conflict */
async function assertEqual(
  connection: Connection,
  { organization, secrets, tables }: Manifest,
): Promise<void> {
  for (const table of exportedTables) {
    const expected = tables.find(({ name }) => name === table.name)!
    const columns = await describeTable(connection, table.name)
    const found = await digestLines(readLines(connection, table, columns, secrets === 'sealed'))
    if (found.sha256 !== expected.sha256)
      throw new Conflict(
        'conflict',
        `${organization.name} (${organization.id}) is here with other content: ${table.name} has ${found.rows} rows ` +
          `instead of the ${expected.rows} of the export, or other values.`,
      )
  }
}

/** @throws Conflict, Invalid */
function explain(error: unknown): never {
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string }
  if (code === '23505')
    throw new Conflict('conflict', `A record of the export is here already, in ${table} (${constraint}).`, {
      cause: error,
    })
  if (code === '42501')
    throw semanticError('folder', 'The export has records of another organization than its manifest says.')
  throw error
}

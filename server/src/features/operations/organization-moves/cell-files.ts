import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql, type NotNull } from '#db/sql.ts'
import type { Connection } from '#db/connect.ts'
import { Conflict } from '#errors.ts'
import { keyOfExport } from '#features/operations/organization-export/run-export.ts'
import { openTransferDatabase } from '#features/operations/organization-export/transfer-database.ts'
import { contentTypeOf } from '#features/operations/organization-export/media-files.ts'
import type { Cell, MoveOptions } from './cell.ts'

interface KeptFile {
  readonly key: string
  readonly size_bytes: number
}

/** Copies the media and the exports that the target does not have. A key identifies one content for ever. */
export async function copyFiles({
  orgId,
  source,
  target,
  progress,
}: Pick<MoveOptions, 'orgId' | 'source' | 'target' | 'progress'>): Promise<void> {
  const kept = await readFrom(source, orgId, (connection) => listKept(connection, orgId))
  let copied = 0
  for (const { key, size_bytes: sizeBytes } of kept) {
    if ((await target.storage.sizeOf(key)) === sizeBytes) continue
    const stored = await source.storage.read(key)
    // One that was deleted meanwhile; or one that the source, too, cannot show.
    if (!stored) continue
    await target.storage.put(key, stored.content, { contentType: contentTypeOf(key), sizeBytes })
    progress('files', ++copied)
  }
}

/**
 * Each cell has a storage of its own: from a shared one, the end of the move would remove the files that the other cell
 * serves. Addresses can differ for the same bucket, so a file is written in one and looked for in the other. @throws Conflict
 */
export async function assertOwnStorage({
  orgId,
  source,
  target,
}: Pick<MoveOptions, 'orgId' | 'source' | 'target'>): Promise<void> {
  const key = `moves/${orgId}/${randomUUID()}`
  await target.storage.put(key, Readable.from(['x']), { contentType: 'text/plain', sizeBytes: 1 })
  const isShared = (await source.storage.sizeOf(key)) !== null
  await target.storage.remove(key)
  if (isShared)
    throw new Conflict(
      'conflict',
      'Both cells keep their files in one place. Give the other cell a bucket of its own.',
    )
}

/** Removes the media and the exports of an organization from the storage of a cell that does not serve it. */
export async function removeFiles(cell: Cell, orgId: string): Promise<void> {
  const media = await readFrom(cell, orgId, listMedia)
  const exports = await readFrom(cell, orgId, listExports)
  const keys = [
    ...media.map(({ key }) => key),
    ...exports.flatMap(({ id, attempts }) =>
      Array.from({ length: attempts }, (_, at) => keyOfExport(orgId, { id, attempt: at + 1 })),
    ),
  ]
  for (const key of keys) await cell.storage.remove(key)
}

/** As the role that sees the organization although another cell serves it. */
export async function readFrom<Row>(
  { config }: Cell,
  orgId: string,
  read: (connection: Connection) => Promise<Row>,
): Promise<Row> {
  await using transfer = openTransferDatabase(config, 'vacancy_import')
  return await transfer.transaction({ orgId }, read)
}

const listKept = async (connection: Connection, orgId: string): Promise<KeptFile[]> => {
  const media = connection.run(sql<KeptFile>`
    select key, size_bytes
    from media_files
    where org_id = current_org() and media_id is not null
    order by key`)
  const exports = connection.run(sql<{ id: string; attempt: number; size_bytes: NotNull<number> }>`
    select id, attempts as attempt, size_bytes
    from exports
    where org_id = current_org() and status = 'completed'`)
  return [
    ...(await media),
    ...(await exports).map((at) => ({ key: keyOfExport(orgId, at), size_bytes: at.size_bytes })),
  ]
}

const listMedia = (connection: Connection) =>
  connection.run(sql<{ key: string }>`select key from media_files where org_id = current_org()`)

const listExports = (connection: Connection) =>
  connection.run(sql<{ id: string; attempts: number }>`
    select id, attempts from exports where org_id = current_org()`)

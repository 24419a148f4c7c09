import { sql } from '#db/sql.ts'
import { afterCommit, atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { assertVersion, type ExpectedVersion, type StoredRecord } from '#db/records.ts'
import { NotFound, Unavailable } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { assertUnchanged } from '#schema/fields.ts'
import { events } from '#telemetry/log.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { RemoveOrphanedFiles } from './jobs.ts'
import type { MediaPatch, StoredFile } from './media.ts'
import { findMedia, findPlace, type MediaPlace } from './queries.ts'

export interface NewMedia {
  readonly place: MediaPlace
  readonly description: string | null
  /** The address at a PMS that it was imported from. */
  readonly sourceUrl?: string
  readonly original: StoredFile
  readonly renditions: readonly (StoredFile & { readonly name: string })[]
}

/** Creates the record of stored files, at the last position of its place. @throws NotFound, Conflict, Invalid */
export const createMedia = (
  scope: Scope,
  { place, description, sourceUrl, original, renditions }: NewMedia,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    await lockProperty(transaction, place.propertyId)
    const { accountId } = await findPlace(transaction, place)
    const renditionRecords = renditions.map(({ name, key, contentType, sizeBytes, width, height }) => ({
      name,
      url: `/media/${key}`,
      content_type: contentType,
      size_bytes: sizeBytes,
      width,
      height,
    }))
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`
        insert into media (org_id, account_id, space_id, unit_id, key, content_type, size_bytes, width, height, checksum,
          renditions, description, source_url, "position")
        select ${scope.orgId}, ${accountId}, ${place.propertyId}, ${place.unitId}::uuid, ${original.key},
          ${original.contentType}, ${original.sizeBytes}, ${original.width}, ${original.height}, ${original.checksum},
          ${JSON.stringify(renditionRecords)}::jsonb, ${description}, ${sourceUrl ?? null}, count(*)::int
        from media
        where ${atPlace(transaction, place)}
        returning id, json, version`,
    )
    await attachFiles(transaction, row!.id, [original.key, ...renditions.map(({ key }) => key)])
    await requestPlaceSync(transaction, place)
    const { orgId, traceparent } = transaction
    afterCommit(transaction, () =>
      events.mediaStored({ orgId, mediaId: row!.id, traceId: parseTraceparent(traceparent)?.traceId }),
    )
    return row!
  })

const immutableMembers = [
  'account_id',
  'property_id',
  'unit_id',
  'content_type',
  'size_bytes',
  'width',
  'height',
  'checksum',
]

/** @throws NotFound, PreconditionFailed, BadRequest */
export const updateMedia = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  patch: MediaPatch,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { place, ...current } = await lockMedia(transaction, id)
    assertVersion(expected, current.version)
    assertUnchanged(patch, immutableMembers, JSON.parse(current.json) as object)
    const { position = current.position, description = current.description } = patch
    if (position === current.position && description === current.description) return current
    await rows(
      transaction,
      sql`
        update media
        set description = ${description}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    if (position !== current.position) await renumber(transaction, place, { id, position })
    await requestPlaceSync(transaction, place)
    return await findMedia(transaction, id)
  })

/** @throws NotFound, PreconditionFailed */
export const deleteMedia = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { place, version } = await lockMedia(transaction, id)
    assertVersion(expected, version)
    await detachFiles(transaction, id)
    await rows(transaction, sql`delete from media where org_id = ${scope.orgId} and id = ${id}`)
    await renumber(transaction, place, null)
    await requestPlaceSync(transaction, place)
  })

/** Attached files are kept as long as the record. */
async function attachFiles(
  transaction: Transaction,
  mediaId: string,
  keys: readonly string[],
): Promise<void> {
  const attached = await rows(
    transaction,
    sql`
      update media_files
      set media_id = ${mediaId}
      where org_id = ${transaction.orgId} and key = any(${keys}::text[]) and media_id is null
      returning key`,
  )
  if (attached.length < keys.length) throw new Unavailable('Storing the file took too long.')
}

/** Makes the files of a record orphans, and enqueues their removal. */
async function detachFiles(transaction: Transaction, mediaId: string): Promise<void> {
  await rows(
    transaction,
    sql`
      update media_files
      set media_id = null, kept_until = now() - interval '1 second'
      where org_id = ${transaction.orgId} and media_id = ${mediaId}`,
  )
  await enqueue(transaction, RemoveOrphanedFiles, [{ payload: {} }])
}

const atPlace = ({ orgId }: Transaction, { propertyId, unitId }: MediaPlace) =>
  sql`media.org_id = ${orgId} and media.space_id = ${propertyId}
    and media.unit_id is not distinct from ${unitId}::uuid`

/** Numbers the media of a place from 0; `moved` gets its position, or the last one when there are fewer. */
const renumber = (
  transaction: Transaction,
  place: MediaPlace,
  moved: { id: string; position: number } | null,
) =>
  rows(
    transaction,
    sql`
      with other as (
        select media.id, row_number() over (order by media."position", media.created_at, media.id) - 1 as index,
          count(*) over () as total
        from media
        where ${atPlace(transaction, place)} and media.id is distinct from ${moved?.id ?? null}::uuid),
      target as (
        select least(${moved?.position ?? null}::int, coalesce((select max(total) from other), 0)) as index),
      numbered as (
        select other.id,
          case when other.index >= target.index then other.index + 1 else other.index end as "position"
        from other, target
        union all
        select ${moved?.id ?? null}::uuid, target.index from target)
      update media
      set "position" = numbered."position", updated_at = now()
      from numbered
      where media.org_id = ${transaction.orgId}
        and media.id = numbered.id
        and media."position" <> numbered."position"`,
  )

const requestPlaceSync = (transaction: Transaction, { propertyId, unitId }: MediaPlace) =>
  requestSync(transaction, unitId === null ? { spaceId: propertyId } : { unitId }, 'change')

/** The property is locked because a change of one position may change the positions of all its media. */
const lockProperty = (transaction: Transaction, propertyId: string) =>
  rows(
    transaction,
    sql`select 1 from spaces where org_id = ${transaction.orgId} and id = ${propertyId} for no key update`,
  )

/** Locks the property first, in the same order as `createMedia`, then the record. */
async function lockMedia(transaction: Transaction, id: string) {
  const { orgId } = transaction
  const [, [row]] = await Promise.all([
    rows(
      transaction,
      sql`
        select 1
        from spaces
        where org_id = ${orgId}
          and id = (select space_id from media where org_id = ${orgId} and id = ${id})
        for no key update`,
    ),
    rows(
      transaction,
      sql<StoredRecord & LockedColumns>`
        select json, version, space_id, unit_id, "position", description
        from media
        where org_id = ${orgId} and id = ${id}
        for update`,
    ),
  ])
  if (!row) throw new NotFound('media', id)
  const { space_id: propertyId, unit_id: unitId, ...rest } = row
  return { ...rest, place: { propertyId, unitId } satisfies MediaPlace }
}

interface LockedColumns {
  readonly space_id: string
  readonly unit_id: string | null
  readonly position: number
  readonly description: string | null
}

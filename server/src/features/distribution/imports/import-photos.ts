import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type NotNull } from '#db/sql.ts'
import { atomically, rows, type Scope } from '#db/scope.ts'
import { isConnectionLoss } from '#db/connect.ts'
import { Conflict, Unavailable } from '#errors.ts'
import type { Egress } from '#egress/egress.ts'
import { requestFollowing } from '#egress/follow-redirects.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { maxFileBytes } from '#features/inventory/media/media.ts'
import { createMedia } from '#features/inventory/media/save-media.ts'
import { discardStored, storeFile, type StoreFileOptions } from '#features/inventory/media/store-file.ts'
import { openUploadFolder } from '#features/inventory/media/upload-folder.ts'
import { completeIfDone } from './complete-import.ts'
import { completeItems, lockItem } from './item-queries.ts'
import { ImportPhotos } from './jobs.ts'
import { getImport, type ImportState } from './queries.ts'
import { skipPhotosWithoutOwner } from './skip-items.ts'

export interface PhotoContext extends StoreFileOptions {
  readonly egress: Egress
  /** The folder of files that are being received. */
  readonly uploads: string
}

const maxRunMs = 10_000
const downloadsAtOnce = 4
const timeoutMs = 20_000
const maxTries = 3
/** Until more units are made, or files can be stored again. */
const pauseMs = 1_000

/** Downloads the photos of units and spaces that are made, while others still are. */
export async function importPhotos(
  scope: Scope,
  context: PhotoContext,
  importId: string,
  run: Pick<JobRun, 'signal'>,
): Promise<void> {
  const until = performance.now() + maxRunMs
  while (!run.signal.aborted) {
    const state = await getImport(scope, importId)
    if (state?.status !== 'running') return
    if (performance.now() > until) return await continueAfter(scope, importId, 0)
    const photos = await listPhotosToDo(scope, importId, downloadsAtOnce)
    if (photos.length > 0) {
      const importing = { ...scope, actor: state.actor, accountId: state.account_id }
      const isTried = await Promise.all(
        photos.map((photo) => importPhoto(importing, context, photo, run.signal)),
      )
      if (!isTried.every(Boolean)) return await continueAfter(scope, importId, pauseMs)
    } else if (state.stage === 'plan' || state.stage === 'units')
      return await continueAfter(scope, importId, pauseMs)
    else return await endPhotos(scope, state)
  }
}

async function endPhotos(scope: Scope, { id }: ImportState): Promise<void> {
  await skipPhotosWithoutOwner(scope, id)
  await completeIfDone(scope, id)
}

const continueAfter = (scope: Scope, importId: string, afterMs: number) =>
  atomically(scope, (transaction) =>
    enqueue(transaction, ImportPhotos, [{ payload: { importId }, ...(afterMs > 0 && { afterMs }) }]),
  )

/**
 * Downloads a photo and stores it. False when the storage, or the queue of pictures that are processed, has no place now:
 * that says nothing about the photo.
 */
async function importPhoto(
  scope: Scope,
  context: PhotoContext,
  photo: PhotoItem,
  stopping: AbortSignal,
): Promise<boolean> {
  try {
    await using folder = await openUploadFolder(context.uploads)
    const path = join(folder.path, 'received')
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
    const options = { method: 'GET', headers: { accept: 'image/*' }, signal, maxBytes: maxFileBytes }
    const { status, body } = await requestFollowing(context.egress, photo.url, options)
    if (status !== 200) throw new Error(`The photo was answered with status ${status}.`)
    await writeFile(path, body, { flag: 'wx', mode: 0o600 })
    await save(scope, context, photo, { path, sizeBytes: body.length, folder: folder.path })
  } catch (error) {
    stopping.throwIfAborted()
    if (isConnectionLoss(error)) throw error
    if (error instanceof Unavailable) return false
    const isFinal = error instanceof Conflict
    await countPhotoFailure(scope, photo.id, isFinal ? 1 : maxTries)
  }
  return true
}

async function save(
  scope: Scope,
  context: PhotoContext,
  photo: PhotoItem,
  { path, sizeBytes, folder }: { path: string; sizeBytes: number; folder: string },
): Promise<void> {
  const { description, url: sourceUrl } = photo
  const received = { path, sizeBytes, unitId: photo.unit_id, description }
  const files = await storeFile(scope, context, received, folder)
  let isUsed = false
  try {
    isUsed = await atomically(scope, async (transaction) => {
      if (!(await lockItem(transaction, photo.id))) return false
      const place = { propertyId: photo.space_id, unitId: photo.unit_id }
      const media = await createMedia(transaction, { place, description, sourceUrl, ...files })
      await completeItems(transaction, [{ id: photo.id, record_id: media.id }])
      return true
    })
  } finally {
    if (!isUsed) await discardStored(scope, [files.original, ...files.renditions])
  }
}

/** A photo whose unit or space is made. */
interface PhotoItem {
  id: string
  url: NotNull<string>
  description: string | null
  space_id: string
  /** Null for a photo of the space. */
  unit_id: string | null
}

/** The next photos in order; one that failed comes after the others. */
const listPhotosToDo = (scope: Scope, importId: string, limit: number) =>
  rows(
    scope,
    sql<PhotoItem>`
      select item.id, item.content ->> 'url' as url, item.content ->> 'description' as description,
        coalesce(unit.space_id, owner.record_id) as space_id, unit.id as unit_id
      from import_items item
      join import_items owner
        on owner.org_id = item.org_id
        and owner.import_id = item.import_id
        and owner.kind = item.content ->> 'place'
        and owner.external_id = item.parent_id
        and owner.record_id is not null
      left join units unit
        on unit.org_id = item.org_id
        and unit.id = owner.record_id
      where item.org_id = ${scope.orgId}
        and item.import_id = ${importId}
        and item.kind = 'photo'
        and item.done_at is null
      order by item.tries, item."position"
      limit ${limit}`,
  )

/** Counts a failed download; the last one skips the photo. */
const countPhotoFailure = (scope: Scope, id: string, maxTries: number) =>
  rows(
    scope,
    sql`
      update import_items
      set tries = tries + 1,
        action = case when tries + 1 >= ${maxTries} then 'skip' else action end,
        reason = case when tries + 1 >= ${maxTries} then 'photo_not_available' else reason end,
        done_at = case when tries + 1 >= ${maxTries} then now() end
      where org_id = ${scope.orgId}
        and id = ${id}
        and done_at is null`,
  )

import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Config } from '#config/config.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { Unavailable } from '#errors.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { openUploadFolder } from '#features/inventory/media/upload-folder.ts'
import { exportOrganization } from './export-organization.ts'
import { exportedTables } from './exported-tables.ts'
import { DeleteExport } from './jobs.ts'
import {
  beginAttempt,
  completeExport,
  deleteExport,
  failExport,
  lockExpiredExport,
  recordError,
  saveProgress,
  type Attempt,
  type ExportProgress,
  type WrittenFile,
} from './queries.ts'
import { tarOf } from './tar-file.ts'

export interface ExportContext {
  readonly config: Pick<Config, 'database'>
  readonly storage: Storage
  /** The folder of files that are being made. */
  readonly uploads: string
  /** The size that the storage takes. */
  readonly maxFileBytes: number
}

/** With the pauses between them, some minutes. */
const maxAttempts = 20
const progressMs = 1_000

/** The file of an attempt. No address of media leads to it. */
export const keyOfExport = (orgId: string, { id, attempt }: Attempt) =>
  `exports/${orgId}/${id}-${attempt}.tar`

/** Writes the file of an export. After an interruption another attempt starts from the beginning. */
export async function runExport(
  scope: Scope,
  context: ExportContext,
  id: string,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const attempt = await beginAttempt(scope, id)
  if (attempt === undefined) return
  const at = { id, attempt }
  await removeFiles(scope, context.storage, id, attempt - 1)
  if (attempt > maxAttempts) return void (await endExport(scope, at, null))
  try {
    const file = await writeFile(scope, context, at, signal)
    if (!(await endExport(scope, at, file)) && file !== 'too_large')
      await context.storage.remove(keyOfExport(scope.orgId, at))
  } catch (error) {
    // Another worker goes on.
    if (signal.aborted) return
    await recordError(scope, at, error instanceof Unavailable ? 'storage_unavailable' : 'internal')
    throw error
  }
}

async function writeFile(
  scope: Scope,
  { config, storage, uploads, maxFileBytes }: ExportContext,
  at: Attempt,
  signal: AbortSignal,
): Promise<WrittenFile | 'too_large'> {
  await using folder = await openUploadFolder(uploads)
  await using reported = reportProgress(scope, at)
  const report = (progress: ExportProgress) => {
    signal.throwIfAborted()
    reported.latest = progress
  }
  const path = join(folder.path, 'export')
  let files = 0
  const { checksum, missing } = await exportOrganization(config, storage, {
    ...{ orgId: scope.orgId, folder: path, withSealedSecrets: false },
    progress(what, count) {
      const table = exportedTables.findIndex(({ name }) => name === what)
      if (what === 'media_files') files = count
      if (table < 0) report({ stage: 'media', done: count, total: files })
      else report({ stage: 'records', done: table, total: exportedTables.length })
    },
  })
  const { sizeBytes, content } = await tarOf(path, 'vacancy-export')
  if (sizeBytes > maxFileBytes) return 'too_large'
  let done = 0
  const counted = async function* () {
    for await (const chunk of content()) {
      report({ stage: 'file', done: (done += chunk.length), total: sizeBytes })
      yield chunk
    }
  }
  const key = keyOfExport(scope.orgId, at)
  await storage.put(key, Readable.from(counted()), { contentType: 'application/x-tar', sizeBytes })
  return { sizeBytes, checksum, missingFiles: missing.length }
}

/** Saves the latest progress now and then, beside the work. */
function reportProgress(scope: Scope, at: Attempt): AsyncDisposable & { latest?: ExportProgress } {
  let saving = Promise.resolve()
  const timer = setInterval(() => {
    const { latest } = reported
    if (latest) saving = saveProgress(scope, at, latest).then(ignore, ignore)
  }, progressMs)
  const reported: AsyncDisposable & { latest?: ExportProgress } = {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await saving
    },
  }
  return reported
}

// A figure that could not be saved is followed by the next one.
const ignore = () => {}

/** Whether this attempt has ended the export. */
const endExport = (scope: Scope, at: Attempt, result: WrittenFile | 'too_large' | null): Promise<boolean> =>
  atomically(scope, async (transaction) => {
    const ended =
      result === 'too_large' || result === null
        ? await failExport(transaction, at, result)
        : await completeExport(transaction, at, result)
    if (!ended) return false
    await enqueue(transaction, DeleteExport, [
      { payload: { exportId: at.id }, at: new Date(ended.expires_at) },
    ])
    return true
  })

/** Deletes an export that is past its time: its file first, so that an interruption forgets none. */
export const deleteExpiredExport = (scope: Scope, storage: Storage, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const expired = await lockExpiredExport(transaction, id)
    if (!expired) return
    await removeFiles(scope, storage, id, expired.attempts)
    await deleteExport(transaction, id)
  })

async function removeFiles({ orgId }: Scope, storage: Storage, id: string, attempts: number): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++)
    await storage.remove(keyOfExport(orgId, { id, attempt }))
}

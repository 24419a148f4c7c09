import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { Conflict } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import type { DownloadTokens } from './download-tokens.ts'
import type { ExportDownload } from './export.ts'
import { RunExport } from './jobs.ts'
import { countExports, findExport, getCompletedExport, insertExport } from './queries.ts'

/** Each may have the size of all media of the organization. */
const maxExports = 5

/** Exports everything of the organization in the background. @throws Conflict */
export const requestExport = (scope: Scope): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const created = await insertExport(transaction)
    if (!created) throw new Conflict('already-exists', 'Another export is not finished. Wait until it is.')
    if ((await countExports(transaction)) > maxExports)
      throw new Conflict(
        'conflict',
        `There are ${maxExports} exports. Download one of them, or wait until the oldest is deleted.`,
      )
    await enqueue(transaction, RunExport, [{ payload: { exportId: created.id } }])
    addEntry(transaction, 'organization.exported')
    return { id: created.id, ...(await findExport(transaction, created.id)) }
  })

/** An address from which anyone may download the file for a short time. @throws NotFound, Conflict */
export const createDownload = (
  scope: Scope,
  { tokens, publicUrl }: { tokens: DownloadTokens; publicUrl: string },
  id: string,
): Promise<ExportDownload> =>
  atomically(scope, async (transaction) => {
    await findExport(transaction, id)
    if (!(await getCompletedExport(transaction, id)))
      throw new Conflict(
        'invalid-status-transition',
        'Only the file of a completed export can be downloaded.',
      )
    addEntry(transaction, 'organization.downloaded')
    const { token, expires_at } = tokens.issue({ orgId: scope.orgId, exportId: id })
    return { url: new URL(`/exports/${token}.tar`, publicUrl).href, expires_at }
  })

const addEntry = (transaction: Transaction, action: string) =>
  addAuditEntries(transaction, [
    {
      ...{ account_id: transaction.accountId, action, trigger: 'manual' },
    },
  ])

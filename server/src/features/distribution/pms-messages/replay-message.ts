import { sql } from '#db/sql.ts'
import { atomically, first, type Scope, type Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { NotFound } from '#errors.ts'
import { enqueue, jobVariant } from '#queue/job.ts'
import { ProcessMessage } from './jobs.ts'
import { parseBody } from './parse-body.ts'

/** Processes a message again, whatever its status. It is applied as if it arrived late. @throws NotFound */
export const replayMessage = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { body, kind, ...stored } = await resetMessage(transaction, id)
    const payload = { messageId: id, body: parseBody(Buffer.from(body)).value }
    await enqueue(transaction, jobVariant(ProcessMessage, kind), [{ payload }])
    return stored
  })

async function resetMessage(
  transaction: Transaction,
  id: string,
): Promise<StoredRecord & { body: string; kind: string }> {
  const row = await first(
    transaction,
    sql<StoredRecord & { body: string; kind: string }>`
      update webhook_messages
      set status = 'received',
        attempts = 0,
        error_message = null,
        processed_at = null,
        version = version + 1
      where org_id = ${transaction.orgId}
        and id = ${id}
      returning json, version, body, kind`,
  )
  if (!row) throw new NotFound('webhook message', id)
  return row
}

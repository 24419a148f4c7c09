import { sql } from '#db/sql.ts'
import { deferToCommit, type Transaction } from '#db/scope.ts'

export interface StoredResponse {
  fingerprint: Buffer
  status: number
  headers: Record<string, string>
  body: string
}

/** Locks the key until the transaction ends; false when another transaction has locked it. */
export async function tryLockKey(
  { connection, orgId }: Transaction,
  operation: string,
  key: string,
): Promise<boolean> {
  const lock = `${orgId} ${operation} ${key}`
  const [row] = await connection.run(
    sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 7)) as locked`,
  )
  return row!.locked
}

/** The second limit of the time leaves out partitions that have no rows yet, and a clock may have been set back. */
export async function findStoredResponse({ connection, orgId }: Transaction, operation: string, key: string) {
  const [row] = await connection.run(
    sql<StoredResponse>`
      select fingerprint, status, headers, body
      from idempotency_keys
      where org_id = ${orgId} and operation = ${operation} and key = ${key}
        and created_at > now() - interval '24 hours'
        and created_at < now() + interval '24 hours'`,
  )
  return row
}

/** Stores the response. One that has expired stays beside it until its partition is dropped. */
export function saveResponse(
  transaction: Transaction,
  operation: string,
  key: string,
  { fingerprint, status, headers, body }: StoredResponse,
): void {
  const { orgId } = transaction
  deferToCommit(
    transaction,
    sql`
      insert into idempotency_keys (org_id, operation, key, fingerprint, status, headers, body)
      values (
        ${orgId}, ${operation}, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(headers)}, ${body}
      )`,
  )
}

import { sql } from 'kysely'
import { lastly, type Transaction } from '#db/scope.ts'

export interface KeptAnswer {
  fingerprint: Buffer
  status: number
  headers: Record<string, string>
  body: string
}

/** Takes the key for this transaction; false while another one holds it. */
export async function takeKey(
  { connection, orgId }: Transaction,
  operation: string,
  key: string,
): Promise<boolean> {
  const lock = `${orgId} ${operation} ${key}`
  const [row] = await connection.run(
    sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 7)) as taken`,
  )
  return row!.taken
}

export async function keptAnswer({ connection, orgId }: Transaction, operation: string, key: string) {
  const [row] =
    await connection.run(sql<KeptAnswer>`select fingerprint, status, headers, body from idempotency_keys
    where org_id = ${orgId} and operation = ${operation} and key = ${key} and created_at > now() - interval '24 hours'`)
  return row
}

export function keepAnswer(
  transaction: Transaction,
  operation: string,
  key: string,
  answer: KeptAnswer,
): void {
  const { orgId } = transaction
  lastly(
    transaction,
    sql`delete from idempotency_keys where org_id = ${orgId} and operation = ${operation} and key = ${key}`,
  )
  lastly(
    transaction,
    sql`insert into idempotency_keys (org_id, operation, key, fingerprint, status, headers, body)
      values (${orgId}, ${operation}, ${key}, ${answer.fingerprint}, ${answer.status}, ${JSON.stringify(answer.headers)}, ${answer.body})`,
  )
}

import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'

/** One secret under the fingerprints that its keys give it; the first is that of the key in use. */
export interface Fingerprinted {
  readonly fingerprints: readonly string[]
}

interface FirstUse {
  readonly fingerprint: string
  readonly first_used_at: string
}

/** When each was first used, in their order: now, of one that was not known under any of its fingerprints. */
export async function noteFirstUse(database: Database, secrets: readonly Fingerprinted[]): Promise<Date[]> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(secrets)}::jsonb) as g (fingerprints text[])`
  const [, found] = await database.pipelined({ orgId: null }, [
    sql`insert into secret_ages (fingerprint, first_used_at)
      select g.fingerprints[1], coalesce(
        (select min(s.first_used_at) from secret_ages s where s.fingerprint = any(g.fingerprints)), now())
      from ${given} on conflict (fingerprint) do nothing`,
    sql<FirstUse>`select fingerprint, first_used_at from secret_ages
      where fingerprint = any(${secrets.map(({ fingerprints }) => fingerprints[0])}::text[])`,
  ])
  const known = new Map((found as FirstUse[]).map((row) => [row.fingerprint, row.first_used_at]))
  return secrets.map(({ fingerprints }) => new Date(known.get(fingerprints[0]!)!))
}

/** The oldest of those that are stored with records, by kind of record; null where there is none. */
export async function oldestStored(database: Database) {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select name, kind, set_at from oldest_stored_secrets()`,
  ])
  return found as { name: string; kind: 'pms' | 'webhook_signing'; set_at: string | null }[]
}

import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { rows, type Scope } from '#db/scope.ts'

/** One organization that an identity belongs to, by our own records. */
export interface Membership {
  org_id: string
  account_id: string
  role: string
  status: 'active' | 'removed'
}

export interface Home {
  organization: { id: string; name: string; tier: string } | null
  account: { id: string; name: string } | null
}

/** Whether the token was signed out, and where its identity belongs. One round trip. */
export async function whereabouts(
  database: Database,
  token: { hash: Buffer; issuer: string; subject: string; email: string | null },
): Promise<{ revoked: boolean; memberships: Membership[] }> {
  const [revoked, memberships] = await database.pipelined({ orgId: null }, [
    sql`select 1 from revoked_tokens where token_hash = ${token.hash}`,
    sql<Membership>`select org_id, account_id, role, status
      from memberships_of(${token.issuer}, ${token.subject}, ${token.email})`,
  ])
  return { revoked: revoked!.length > 0, memberships: memberships as Membership[] }
}

/** The organization and the account to act for: the one named, else the oldest. */
export async function homeOf(database: Database, orgId: string, accountId: string | null): Promise<Home> {
  const [organizations, accounts] = await database.pipelined({ orgId }, [
    sql`select id, name, tier from organizations where id = ${orgId}`,
    accountId
      ? sql`select id, name from accounts where org_id = ${orgId} and id = ${accountId}`
      : sql`select id, name from accounts where org_id = ${orgId} order by created_at, id limit 1`,
  ])
  return {
    organization: (organizations![0] as Home['organization']) ?? null,
    account: (accounts![0] as Home['account']) ?? null,
  }
}

/** Ends a token before its time, and tells the other processes. */
export async function revokeToken(scope: Scope, hash: Buffer, expiresAt: Date): Promise<void> {
  await rows(
    scope,
    sql`with kept as (
      insert into revoked_tokens (token_hash, expires_at) values (${hash}, ${expiresAt}) on conflict do nothing)
      select pg_notify('revoked', ${hash.toString('hex')})`,
  )
}

import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope } from '#db/scope.ts'
import type { Claims } from '#outside/identity/identity.ts'

/** A member record of this identity, or of another under the same e-mail address. */
export interface Membership {
  org_id: string
  account_id: string
  role: string
  status: 'active' | 'removed'
  member_id: string
  /** Whether it belongs to the identity that asks; else it only has the same address. */
  is_own: boolean
  /** Whether it belongs to an identity at all: one that was added by address has none until the first sign-in. */
  is_bound: boolean
}

export interface Home {
  organization: { id: string; name: string; tier: string } | null
  account: { id: string; name: string } | null
}

/**
 * Whether the token was signed out, and where its identity belongs. One round trip. A verified address binds the
 * memberships that were added under it and that nobody has signed in to.
 */
export async function whereabouts(
  database: Database,
  token: Pick<Claims, 'issuer' | 'subject' | 'email' | 'isEmailVerified'> & { hash: Buffer },
): Promise<{ revoked: boolean; memberships: Membership[] }> {
  const [revoked, memberships] = await database.pipelined({ orgId: null }, [
    sql`select 1 from revoked_tokens where token_hash = ${token.hash}`,
    sql<Membership>`select org_id, account_id, role, status, member_id, is_own, is_bound
      from find_memberships(${token.issuer}, ${token.subject}, ${token.email}, ${token.isEmailVerified})`,
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

/** A member as people know them. */
export const findMember = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{ account_id: string; name: string | null; email: string; role: string }>`
      select account_id, name, email, role from members where org_id = ${scope.orgId} and id = ${id}`,
  )

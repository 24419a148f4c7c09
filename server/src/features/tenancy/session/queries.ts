import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { exceptMoved, first, rows, type Scope } from '#db/scope.ts'
import { isUuid } from '#schema/fields.ts'
import type { Claims } from '#integrations/identity/identity.ts'

/** A member record of this identity, or of another identity with the same e-mail address. */
export interface Membership {
  org_id: string
  account_id: string
  role: string
  status: 'active' | 'removed'
  member_id: string
  /** Whether it belongs to this identity. Otherwise it only has the same e-mail address. */
  is_own: boolean
  /** Whether it belongs to any identity. A member that was added by address has none until the first sign-in. */
  is_bound: boolean
}

/** An organization that a token names, by its own id or by that of the provider. */
export interface TokenOrganization {
  org_id: string
  identity_id: string | null
}

export interface OrganizationAndAccount {
  organization: { id: string; name: string; tier: string } | null
  account: { id: string; name: string } | null
}

/**
 * Loads in one round trip whether the token was signed out, the memberships of its identity, and the organizations that it
 * names. A verified e-mail address binds memberships that were added with this address and that no identity has signed in to.
 */
export async function loadMemberships(
  database: Database,
  claims: Pick<Claims, 'issuer' | 'subject' | 'email' | 'isEmailVerified' | 'organizations'>,
  tokenHash: Buffer,
): Promise<{ isRevoked: boolean; memberships: Membership[]; named: TokenOrganization[] }> {
  const { issuer, subject, email, isEmailVerified, organizations } = claims
  const [revoked, memberships, named] = await database.pipelined({ orgId: null }, [
    sql`select 1 from revoked_tokens where token_hash = ${tokenHash}`,
    sql<Membership>`
      select org_id, account_id, role, status, member_id, is_own, is_bound
      from find_memberships(${issuer}, ${subject}, ${email}, ${isEmailVerified})`,
    sql<TokenOrganization>`
      select org_id, identity_id
      from find_token_organizations(${organizations.filter(isUuid)}::uuid[], ${organizations}::text[])`,
  ])
  return { isRevoked: revoked.length > 0, memberships, named }
}

/** The names of those organizations that are served here, by id. Row-level security shows one organization at a time. */
export async function loadOrganizationNames(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await Promise.all(
    ids.map((id) =>
      exceptMoved(
        database
          .pipelined<[{ id: string; name: string }]>({ orgId: id }, [
            sql<{ id: string; name: string }>`select id, name from organizations where id = ${id}`,
          ])
          .then(([rows]) => rows),
      ),
    ),
  )
  return new Map(found.flatMap((rows) => rows.map(({ id, name }) => [id, name] as const)))
}

/**
 * A cell that an organization has left has no record of it any more, but still rejects every use of it. The names are its
 * own id or that of the provider.
 */
export async function assertNotMoved(database: Database, names: readonly string[]): Promise<void> {
  const [moved] = await database.pipelined({ orgId: null }, [
    sql<{ org_id: string }>`select org_id from find_moved_organizations(${names}::text[])`,
  ])
  for (const orgId of [...names.filter(isUuid), ...moved.map(({ org_id }) => org_id)])
    await database.pipelined({ orgId }, [])
}

/** Without an account id, the account is the oldest of the organization. */
export async function loadOrganizationAndAccount(
  database: Database,
  orgId: string,
  accountId: string | null,
): Promise<OrganizationAndAccount> {
  const [organizations, accounts] = await database.pipelined({ orgId }, [
    sql<
      NonNullable<OrganizationAndAccount['organization']>
    >`select id, name, tier from organizations where id = ${orgId}`,
    accountId
      ? sql<
          NonNullable<OrganizationAndAccount['account']>
        >`select id, name from accounts where org_id = ${orgId} and id = ${accountId}`
      : sql<
          NonNullable<OrganizationAndAccount['account']>
        >`select id, name from accounts where org_id = ${orgId} order by created_at, id limit 1`,
  ])
  return { organization: organizations[0] ?? null, account: accounts[0] ?? null }
}

/**
 * Rejects a token, and notifies the other processes. The row is deleted after `acceptedUntil`, when the token is rejected
 * without it.
 */
export async function revokeToken(scope: Scope, hash: Buffer, acceptedUntil: Date): Promise<void> {
  await rows(
    scope,
    sql`
      with inserted as (
        insert into revoked_tokens (token_hash, expires_at)
        values (${hash}, ${acceptedUntil})
        on conflict do nothing)
      select pg_notify('revoked', ${hash.toString('hex')})`,
  )
}

export const loadMember = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{ account_id: string; name: string | null; email: string; role: string }>`
      select account_id, name, email, role
      from members
      where org_id = ${scope.orgId} and id = ${id}`,
  )

import { sql, type Statement } from '#db/sql.ts'
import type { Connection, Database } from '#db/connect.ts'
import { Conflict, NotFound } from '#errors.ts'
import { isUuid } from '#schema/fields.ts'

/** Runs a statement as the owner of the tables: the role of the API may not write organizations, accounts and members. */
const run = async <Row>(owner: Database, statement: Statement<Row>) =>
  (await owner.pipelined({ orgId: null }, [statement]))[0]

export interface NewOrganization {
  id?: string | undefined
  name: string
  tier: string
  settings: object
  identityId?: string | undefined
}

export async function insertOrganization(
  owner: Database,
  { id, name, tier, settings, identityId }: NewOrganization,
) {
  const [row] = await run(
    owner,
    sql<{ id: string; name: string; tier: string }>`
      insert into organizations (id, name, tier, settings, identity_id)
      values (coalesce(${id ?? null}::uuid, gen_random_uuid()), ${name}, ${tier}, ${JSON.stringify(settings)},
        ${identityId ?? null})
      returning id, name, tier`,
  )
  return row!
}

export async function insertAccount(
  owner: Database,
  orgId: string,
  name: string,
  id?: string,
  type = 'operator',
) {
  const [row] = await run(
    owner,
    sql<{ id: string; name: string; type: string }>`
      insert into accounts (id, org_id, name, type)
      values (coalesce(${id ?? null}::uuid, gen_random_uuid()), ${orgId}, ${name}, ${type})
      returning id, name, type`,
  )
  return row!
}

export async function oldestAccount(connection: Connection, orgId: string): Promise<string | undefined> {
  const [row] = await connection.run(
    sql<{ id: string }>`select id from accounts where org_id = ${orgId} order by created_at, id limit 1`,
  )
  return row?.id
}

export interface LockedOrganization {
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly settings: Record<string, unknown>
  readonly identity_id: string | null
  readonly json: string
}

/** Locks an organization, so that changes of it and of its members run one after the other. @throws NotFound */
export async function lockOrganization(connection: Connection, orgId: string): Promise<LockedOrganization> {
  const [found] = isUuid(orgId)
    ? await connection.run(
        sql<LockedOrganization>`
          select id, name, tier, settings, identity_id, json
          from organizations
          where id = ${orgId}
          for update`,
      )
    : []
  if (!found) throw new NotFound('organization', orgId)
  return found
}

/** Without a change the row is not written. After a change every API process drops what it has cached of the organization. */
export async function updateOrganization(
  connection: Connection,
  before: LockedOrganization,
  { name, tier, settings, identity_id }: Omit<LockedOrganization, 'id' | 'json'>,
): Promise<LockedOrganization> {
  const [changed] = await connection.run(
    sql<LockedOrganization>`
      update organizations
      set name = ${name}, tier = ${tier}, settings = ${JSON.stringify(settings)},
        identity_id = ${identity_id}, version = version + 1, updated_at = now()
      where id = ${before.id}
        and (name, tier, settings, identity_id)
          is distinct from (${name}, ${tier}, ${JSON.stringify(settings)}::jsonb, ${identity_id})
      returning id, name, tier, settings, identity_id, json`,
  )
  if (changed) await notifyMembers(connection, before.id)
  return changed ?? before
}

/** @throws Conflict */
export async function assertIdentityIdIsFree(
  connection: Connection,
  identityId: string,
  orgId: string | null = null,
): Promise<void> {
  const [taken] = await connection.run(
    sql<{ id: string; name: string }>`
      select id, name
      from organizations
      where identity_id = ${identityId} and id is distinct from ${orgId}`,
  )
  if (taken)
    throw new Conflict('conflict', `The identity id ${identityId} belongs to ${taken.name} (${taken.id}).`)
}

export interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly tier: string
  /** The number of active members. */
  readonly members: number
  readonly created_at: string
}

export const listOrganizationRows = (connection: Connection) =>
  connection.run(
    sql<OrganizationRow>`
      select organization.id, organization.name, organization.tier, organization.created_at,
        (select count(*)::int from members
         where members.org_id = organization.id and members.status = 'active') as members
      from organizations organization
      order by organization.created_at, organization.id`,
  )

export const hasOrganizations = async (owner: Database): Promise<boolean> =>
  (await run(owner, sql`select 1 from organizations limit 1`)).length > 0

/** A person who acts for an organization, or did before the removal. */
export interface Member {
  readonly id: string
  readonly org_id: string
  readonly account_id: string
  readonly email: string
  readonly name: string | null
  readonly role: string
  readonly status: 'active' | 'removed'
  /** With the subject, the identity that the membership belongs to; null until the first sign-in. */
  readonly issuer: string | null
  readonly subject: string | null
  readonly created_at: string
  readonly updated_at: string
}

const columns = sql`id, org_id, account_id, email, name, role, status, issuer, subject, created_at, updated_at`

export const listMemberRows = (connection: Connection, orgId: string) =>
  connection.run(sql<Member>`select ${columns} from members where org_id = ${orgId} order by created_at, id`)

export async function findMember(connection: Connection, orgId: string, email: string) {
  const [found] = await connection.run(
    sql<Member>`
      select ${columns}
      from members
      where org_id = ${orgId} and lower(email) = lower(${email})
      for update`,
  )
  return found
}

export async function findMemberOfSubject(
  connection: Connection,
  orgId: string,
  { issuer, subject }: { issuer: string; subject: string },
) {
  const [found] = await connection.run(
    sql<Member>`
      select ${columns}
      from members
      where org_id = ${orgId} and issuer = ${issuer} and subject = ${subject}`,
  )
  return found
}

/** An organization always has an active owner. `newRole` is null on removal. @throws Conflict */
export async function assertOwnerStays(
  connection: Connection,
  { id, org_id, email, role, status }: Member,
  newRole: string | null,
): Promise<void> {
  if (role !== 'owner' || status !== 'active' || newRole === 'owner') return
  const otherOwners = await connection.run(
    sql`
      select 1
      from members
      where org_id = ${org_id} and role = 'owner' and status = 'active' and id <> ${id}
      limit 1`,
  )
  if (otherOwners.length > 0) return
  throw new Conflict(
    'conflict',
    `${email} is the last owner of this organization. Make somebody else an owner first: vacancy member role.`,
  )
}

export interface NewMember {
  orgId: string
  accountId: string
  email: string
  name: string | null
  role: string
  issuer: string | null
  subject: string | null
}

/** Adds a member, or changes the one with that e-mail address. */
export async function upsertMember(connection: Connection, member: NewMember): Promise<Member> {
  const [row] = await connection.run(
    sql<Member>`
      insert into members (org_id, account_id, email, name, role, issuer, subject)
      values (${member.orgId}, ${member.accountId}, ${member.email}, ${member.name}, ${member.role},
        ${member.issuer}, ${member.subject})
      on conflict (org_id, lower(email)) do update
      set role = excluded.role, status = 'active', name = coalesce(excluded.name, members.name),
        issuer = coalesce(excluded.issuer, members.issuer), subject = coalesce(excluded.subject, members.subject), updated_at = now()
      returning ${columns}`,
  )
  await notifyMembers(connection, member.orgId)
  return row!
}

export async function updateMember(
  connection: Connection,
  { id, org_id }: Member,
  { role, status }: { role?: string; status?: 'removed' },
): Promise<Member> {
  const [row] = await connection.run(
    sql<Member>`
      update members
      set role = coalesce(${role ?? null}, role), status = coalesce(${status ?? null}, status), updated_at = now()
      where org_id = ${org_id} and id = ${id}
      returning ${columns}`,
  )
  await notifyMembers(connection, org_id)
  return row!
}

/** After the commit, every API process drops what it has cached of the organization and its callers. */
const notifyMembers = (connection: Connection, orgId: string) =>
  connection.run(sql`select pg_notify('members', ${orgId})`)

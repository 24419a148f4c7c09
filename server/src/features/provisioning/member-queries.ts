import { sql } from 'kysely'
import type { Connection } from '#db/connect.ts'

/** A person who may act for an organization, or may no longer. */
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
    sql<Member>`select ${columns} from members where org_id = ${orgId} and lower(email) = lower(${email})
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
    sql<Member>`select ${columns} from members
      where org_id = ${orgId} and issuer = ${issuer} and subject = ${subject}`,
  )
  return found
}

export async function hasOtherOwner(connection: Connection, { id, org_id }: Member): Promise<boolean> {
  const found = await connection.run(
    sql`select 1 from members
      where org_id = ${org_id} and role = 'owner' and status = 'active' and id <> ${id} limit 1`,
  )
  return found.length > 0
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
    sql<Member>`insert into members (org_id, account_id, email, name, role, issuer, subject)
      values (${member.orgId}, ${member.accountId}, ${member.email}, ${member.name}, ${member.role},
        ${member.issuer}, ${member.subject})
      on conflict (org_id, lower(email)) do update set role = excluded.role, status = 'active',
        name = coalesce(excluded.name, members.name), issuer = coalesce(excluded.issuer, members.issuer),
        subject = coalesce(excluded.subject, members.subject), updated_at = now()
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
    sql<Member>`update members set role = coalesce(${role ?? null}, role),
        status = coalesce(${status ?? null}, status), updated_at = now()
      where org_id = ${org_id} and id = ${id} returning ${columns}`,
  )
  await notifyMembers(connection, org_id)
  return row!
}

/** With the commit, every API process forgets what it knew of the organization and its callers. */
export const notifyMembers = (connection: Connection, orgId: string) =>
  connection.run(sql`select pg_notify('members', ${orgId})`)

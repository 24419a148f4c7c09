import { sql } from 'kysely'
import type { Database, Statement } from '#db/connect.ts'

/** Written under the login that may migrate; the API's own role cannot. */
const run = async <Row>(owner: Database, statement: Statement<Row>) =>
  ((await owner.pipelined({ orgId: null }, [statement])) as [Row[]])[0]

export interface NewOrganization {
  id?: string | undefined
  name: string
  tier: string
  settings: object
}

export async function insertOrganization(owner: Database, { id, name, tier, settings }: NewOrganization) {
  const [row] = await run(
    owner,
    sql<{ id: string; name: string; tier: string }>`insert into organizations (id, name, tier, settings)
      values (coalesce(${id ?? null}::uuid, gen_random_uuid()), ${name}, ${tier}, ${JSON.stringify(settings)})
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
    sql<{ id: string; name: string; type: string }>`insert into accounts (id, org_id, name, type)
      values (coalesce(${id ?? null}::uuid, gen_random_uuid()), ${orgId}, ${name}, ${type}) returning id, name, type`,
  )
  return row!
}

export async function oldestAccount(owner: Database, orgId: string): Promise<string | undefined> {
  const [row] = await run(
    owner,
    sql<{ id: string }>`select id from accounts where org_id = ${orgId} order by created_at, id limit 1`,
  )
  return row?.id
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
export async function upsertMember(owner: Database, member: NewMember) {
  const [row] = await run(
    owner,
    sql<{ id: string; org_id: string; email: string; role: string }>`insert into members
        (org_id, account_id, email, name, role, issuer, subject)
      values (${member.orgId}, ${member.accountId}, ${member.email}, ${member.name}, ${member.role},
        ${member.issuer}, ${member.subject})
      on conflict (org_id, lower(email)) do update set role = excluded.role, status = 'active',
        name = coalesce(excluded.name, members.name), issuer = coalesce(excluded.issuer, members.issuer),
        subject = coalesce(excluded.subject, members.subject), updated_at = now()
      returning id, org_id, email, role`,
  )
  return row!
}

export const hasOrganizations = async (owner: Database): Promise<boolean> =>
  (await run(owner, sql`select 1 from organizations limit 1`)).length > 0

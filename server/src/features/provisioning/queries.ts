import { sql } from 'kysely'
import type { Connection, Database, Statement } from '#db/connect.ts'
import { notifyMembers } from './member-queries.ts'

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
  readonly json: string
}

export async function lockOrganization(connection: Connection, orgId: string) {
  const [found] = await connection.run(
    sql<LockedOrganization>`select id, name, tier, settings, json from organizations
      where id = ${orgId} for update`,
  )
  return found
}

/** What is as it was is left alone. Every API process forgets what it knew of the organization. */
export async function updateOrganization(
  connection: Connection,
  before: LockedOrganization,
  { name, tier, settings }: Pick<LockedOrganization, 'name' | 'tier' | 'settings'>,
): Promise<LockedOrganization> {
  const [changed] = await connection.run(
    sql<LockedOrganization>`update organizations set name = ${name}, tier = ${tier},
        settings = ${JSON.stringify(settings)}, version = version + 1, updated_at = now()
      where id = ${before.id} and (name, tier, settings) is distinct from
        (${name}, ${tier}, ${JSON.stringify(settings)}::jsonb)
      returning id, name, tier, settings, json`,
  )
  if (changed) await notifyMembers(connection, before.id)
  return changed ?? before
}

export interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly tier: string
  /** How many may act for it, by our own records. */
  readonly members: number
  readonly created_at: string
}

export const listOrganizationRows = (connection: Connection) =>
  connection.run(
    sql<OrganizationRow>`select o.id, o.name, o.tier, o.created_at,
        (select count(*)::int from members m where m.org_id = o.id and m.status = 'active') as members
      from organizations o order by o.created_at, o.id`,
  )

export const hasOrganizations = async (owner: Database): Promise<boolean> =>
  (await run(owner, sql`select 1 from organizations limit 1`)).length > 0

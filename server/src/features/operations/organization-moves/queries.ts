import { sql, type Statement } from '#db/sql.ts'
import { Conflict } from '#errors.ts'
import type { Connection, Database } from '#db/connect.ts'

/** What an installation does with an organization that is not as usual; a comment of the table describes each. */
export type MoveStatus = 'draining' | 'frozen' | 'copied' | 'moved' | 'arriving'

export interface Move {
  readonly status: MoveStatus
  /** The other cell; null when the organization is only frozen. */
  readonly cell: string | null
}

const run = async <Row>(owner: Database, statement: Statement<Row>): Promise<Row[]> =>
  (await owner.pipelined<[Row]>({ orgId: null }, [statement]))[0]

export async function findMove(owner: Database, orgId: string): Promise<Move | undefined> {
  const [move] = await run(
    owner,
    sql<Move>`select status, cell from organization_moves where org_id = ${orgId}`,
  )
  return move
}

export const hasOrganization = async (owner: Database, orgId: string): Promise<boolean> =>
  (await run(owner, sql`select 1 from organizations where id = ${orgId}`)).length > 0

/** Processes forget what they have cached of the organization, and end its streams. */
export const saveMove = (owner: Database, orgId: string, { status, cell }: Move): Promise<void> =>
  owner.transaction({ orgId: null }, async (connection) => {
    await connection.run(sql`
      insert into organization_moves (org_id, status, cell)
      values (${orgId}, ${status}, ${cell})
      on conflict (org_id) do update
      set status = excluded.status, cell = excluded.cell, updated_at = now()`)
    await notifyProcesses(connection, orgId)
  })

/** @throws Conflict when the move was aborted, or has come further */
export const advanceMove = (
  owner: Database,
  orgId: string,
  { from, to }: { from: MoveStatus; to: MoveStatus },
): Promise<void> =>
  owner.transaction({ orgId: null }, async (connection) => {
    const [changed] = await connection.run(sql`
      update organization_moves
      set status = ${to}, updated_at = now()
      where org_id = ${orgId} and status in (${from}, ${to})
      returning 1`)
    if (!changed) throw new Conflict('conflict', `The organization is not ${from}.`)
    await notifyProcesses(connection, orgId)
  })

/** Before the record of the organization is deleted: tokens may name it by this id. */
export const keepIdentityId = (owner: Database, orgId: string): Promise<object[]> =>
  run(
    owner,
    sql`
      update organization_moves move
      set identity_id = organization.identity_id
      from organizations organization
      where move.org_id = ${orgId} and organization.id = move.org_id`,
  )

const beatMs = 3_000

/** Runs the work while no other command moves the organization. @throws Conflict */
export const lockMove = <T>(owner: Database, orgId: string, work: () => Promise<T>): Promise<T> =>
  owner.transaction({ orgId: null }, async (connection) => {
    const [lock] = await connection.run(
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${orgId}, 24)) as taken`,
    )
    if (!lock!.taken) throw new Conflict('conflict', 'Another command moves the organization.')
    // PostgreSQL ends a transaction that is idle for long.
    const timer = setInterval(() => void connection.raw('select 1').catch(() => {}), beatMs)
    return await work().finally(() => clearInterval(timer))
  })

/** The organization is as usual again. */
export const deleteMove = (owner: Database, orgId: string): Promise<void> =>
  owner.transaction({ orgId: null }, async (connection) => {
    await connection.run(sql`delete from organization_moves where org_id = ${orgId}`)
    await notifyProcesses(connection, orgId)
  })

const notifyProcesses = (connection: Connection, orgId: string) =>
  connection.raw(`select pg_notify('members', $1)`, [orgId])

/**
 * The transactions of clients that are open in this database, by their virtual ids, which PostgreSQL gives to reads too.
 * They are visible to every login, as in `create index concurrently`, which waits for them in the same way.
 */
export const listOpenTransactions = async (owner: Database): Promise<string[]> => {
  const open = await run(
    owner,
    sql<{ id: string }>`
      select virtualxid as id
      from pg_locks
      join pg_stat_activity activity using (pid)
      where locktype = 'virtualxid'
        and granted
        and activity.datname = current_database()
        and activity.usesysid is not null
        and pid <> pg_backend_pid()`,
  )
  return open.map(({ id }) => id)
}

/** Row-level security of the queue lets the organization of the transaction see its jobs. */
export const countRunningJobs = (connection: Connection): Promise<{ count: number }[]> =>
  connection.run(
    sql<{
      count: number
    }>`select count(*)::int as count from queue.jobs where org_id = current_org() and heartbeat_at is not null`,
  )

/** What names the organization in the address of a request: itself, its targets, and the digests of its calendar links. */
export const listRoutedKeys = (connection: Connection): Promise<{ key: string }[]> =>
  connection.run(
    sql<{ key: string }>`
      select current_org()::text as key
      union all
      select id::text from channel_targets where org_id = current_org()
      union all
      select encode(token_hash, 'hex') from calendar_feeds where org_id = current_org() and token_hash is not null`,
  )

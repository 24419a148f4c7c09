import { isConnectionLoss, openDatabase, type Database, type DatabaseOptions } from './connect.ts'
import { assertPreparedStatementsWork } from './connection-settings.ts'

/** The roles that processes run statements as. Neither can log in, and neither owns a table. */
export type RestrictedRole = 'vacancy_app' | 'vacancy_queue'

interface EffectiveRole {
  readonly role: string
  readonly login: string
  readonly is_superuser: boolean
  readonly bypasses_rls: boolean
  readonly owned_table: string | null
}

/** The role that statements really run as: settings, poolers and the login all have an influence. */
const effectiveRoleQuery = {
  text: `
    select
      current_user::text as role,
      session_user::text as login,
      rolsuper as is_superuser,
      rolbypassrls as bypasses_rls,
      (
        select relname::text
        from pg_class
        where relnamespace = 'public'::regnamespace
          and relkind in ('r', 'p')
          and pg_has_role(current_user, relowner, 'usage')
        order by relname
        limit 1
      ) as owned_table
    from pg_roles
    where rolname = current_user`,
}

/** Opens the database and checks that its statements run as intended. @throws Error that says what to change */
export async function openRestricted(options: DatabaseOptions & { role: RestrictedRole }): Promise<Database> {
  const database = openDatabase(options)
  try {
    if (options.prepare) await assertPreparedStatementsWork(options)
    await assertRestricted(database, options.role)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Row-level security does not apply to superusers and to roles that bypass it, and a table owner can disable it. Checks
 * both kinds of transactions of the database handle. @throws Error that says what to change
 */
async function assertRestricted(database: Database, role: RestrictedRole): Promise<void> {
  const [[inRead]] = (await database
    .pipelined({ orgId: null }, [effectiveRoleQuery])
    .catch(explainMissingRole(role))) as [EffectiveRole[]]
  const inWrite = await database.transaction({ orgId: null }, async ({ raw }) => {
    const { rows } = await raw(effectiveRoleQuery.text)
    return rows[0] as EffectiveRole
  })
  for (const found of [inRead!, inWrite]) {
    const weakness = weaknessOf(found)
    if (weakness)
      throw new Error(
        `The database would not isolate organizations: statements run as ${found.role}, ${weakness}. ${remedy(role, found.login)}`,
      )
  }
}

function weaknessOf({ is_superuser, bypasses_rls, owned_table }: EffectiveRole): string | undefined {
  if (is_superuser) return 'a superuser, to whom row-level security does not apply'
  if (bypasses_rls) return 'a role that bypasses row-level security'
  if (owned_table !== null) return `an owner of tables (${owned_table}), who can disable row-level security`
  return undefined
}

const remedy = (role: RestrictedRole, login: string) =>
  `They must run as ${role}, which owns no tables. Run npx vacancy migrate, and check that ${role} is nosuperuser and nobypassrls and that ${login} is a member of it (docs/operations.md, "Database roles").`

/** Turns "the role does not exist" and "permission denied to set role" into a message that says what to do. */
const explainMissingRole =
  (role: RestrictedRole) =>
  (error: unknown): never => {
    const { code, message } = error as { code?: string; message: string }
    if (isConnectionLoss(error) || (code !== '22023' && code !== '42501')) throw error
    throw new Error(
      `The login of DATABASE_URL cannot act as ${role} (${message}). Run npx vacancy migrate, and grant ${role} to that login (docs/operations.md, "Database roles").`,
      { cause: error },
    )
  }

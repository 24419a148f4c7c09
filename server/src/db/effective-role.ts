import { isConnectionLoss, openDatabase, type Database, type DatabaseOptions } from './connect.ts'
import { assertStatementsStay } from './prepared.ts'

/** The roles that a running process works under; neither can log in, nor owns a table. */
export type RestrictedRole = 'vacancy_app' | 'vacancy_queue'

interface EffectiveRole {
  readonly role: string
  readonly login: string
  readonly is_superuser: boolean
  readonly bypasses: boolean
  readonly owned: string | null
}

/** Whom the statements of a transaction run as, once everything between here and PostgreSQL has had its say. */
const effectiveRole = {
  text: `select current_user::text as role, session_user::text as login, rolsuper as is_superuser,
      rolbypassrls as bypasses, (select relname::text from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and pg_has_role(current_user, relowner, 'usage') order by 1 limit 1) as owned
    from pg_roles where rolname = current_user`,
}

/** A database that works as this process needs it. @throws Error with a sentence when it would not */
export async function openRestricted(options: DatabaseOptions & { role: RestrictedRole }): Promise<Database> {
  const database = openDatabase(options)
  try {
    if (options.prepare) await assertStatementsStay(options)
    await assertRestricted(database, options.role)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Row-level security holds for neither a superuser nor a role that bypasses it, and an owner can switch it off. Asks in
 * both kinds of transaction that the database handle knows. @throws Error with a sentence that says what to do
 */
export async function assertRestricted(database: Database, role: RestrictedRole): Promise<void> {
  const [[inRead]] = (await database.pipelined({ orgId: null }, [effectiveRole]).catch(explain(role))) as [
    EffectiveRole[],
  ]
  const inWrite = await database.transaction({ orgId: null }, async ({ raw }) => {
    const { rows } = await raw(effectiveRole.text)
    return rows[0] as EffectiveRole
  })
  for (const found of [inRead!, inWrite]) {
    const fault = faultOf(found)
    if (fault)
      throw new Error(
        `The database would not keep organizations apart: statements run as ${found.role}, ${fault}. ${remedy(role, found.login)}`,
      )
  }
}

function faultOf({ is_superuser, bypasses, owned }: EffectiveRole): string | undefined {
  if (is_superuser) return 'a superuser, whom row-level security does not hold'
  if (bypasses) return 'a role that bypasses row-level security'
  if (owned !== null) return `an owner of tables (${owned}), who can switch row-level security off`
  return undefined
}

const remedy = (role: RestrictedRole, login: string) =>
  `They must run as ${role}, which owns nothing and has no privilege of its own: run npx vacancy migrate, and check that ${role} is nosuperuser and nobypassrls and that ${login} may act as it (docs/operations.md, "Database roles").`

/** The role is not there, or the login may not take it on. */
const explain =
  (role: RestrictedRole) =>
  (error: unknown): never => {
    const { code, message } = error as { code?: string; message: string }
    if (isConnectionLoss(error) || (code !== '22023' && code !== '42501')) throw error
    throw new Error(
      `The login of DATABASE_URL cannot act as ${role} (${message}): run npx vacancy migrate, and grant ${role} to that login (docs/operations.md, "Database roles").`,
      { cause: error },
    )
  }

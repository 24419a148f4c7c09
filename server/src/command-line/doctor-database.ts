import type { Config } from '#config.ts'
import { pendingMigrations } from '#db/migrate.ts'
import type { Check } from './check.ts'
import { describeDatabase, type DatabaseState } from './queries.ts'

/** One connection answers all of them. */
export function checkDatabase({ database }: Config): Check[] {
  let asked: Promise<DatabaseState> | undefined
  const state = () => (asked ??= describeDatabase(database.url))
  const check = (name: string, advice: string, look: (state: DatabaseState) => string): Check => ({
    name,
    advice,
    look: async () => look(await state()),
  })
  return [
    check('Database', 'Check DATABASE_URL and that PostgreSQL 15 or newer runs there.', (found) => {
      if (found.version_num < 150_000) throw new Error(`PostgreSQL ${found.version} is older than 15`)
      return `PostgreSQL ${found.version} as ${found.login}`
    }),
    {
      name: 'Migrations',
      advice: 'Run npx vacancy migrate.',
      look: async () => {
        const pending = await pendingMigrations(database.ownerUrl)
        if (pending.length > 0) throw new Error(`waiting: ${pending.join(', ')}`)
        return 'none waiting'
      },
    },
    check(
      'Tenant walls',
      'Run npx vacancy migrate; grant vacancy_app to the login of DATABASE_URL.',
      (found) => {
        if (!found.can_act) throw new Error(`${found.login} may not act as vacancy_app`)
        if (found.role_bypasses) throw new Error('the role vacancy_app bypasses row-level security')
        if (found.unguarded.length > 0) throw new Error(`not forced on ${found.unguarded.join(', ')}`)
        return 'row-level security forced on every table of an organization'
      },
    ),
    check('Durability', 'Turn them on in postgresql.conf.', (found) => {
      if (found.weak.length > 0) throw new Error(`${found.weak.join(', ')}: acknowledged changes can be lost`)
      return 'fsync, full_page_writes and synchronous_commit are on'
    }),
    check('Queue', 'Start a worker once with a login that may create a schema.', (found) => {
      if (!found.has_queue) throw new Error('its schema is missing')
      return 'schema pgboss is there'
    }),
  ]
}

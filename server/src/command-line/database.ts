import { grantRoles, migrate } from '#db/migrate.ts'
import { databaseUrlOf, environmentOf } from './product.ts'
import type { CommandContext } from './command-context.ts'

type CommandResult = [facts: object, text: string]

export async function runMigrations(context: CommandContext): Promise<CommandResult> {
  const ownerUrl = databaseUrlOf(context)
  const { applied } = await migrate(ownerUrl)
  const { username } = new URL(environmentOf(context)['DATABASE_URL'] ?? ownerUrl)
  if (username) await grantRoles(ownerUrl, decodeURIComponent(username))
  const text = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.'
  return [{ applied }, text]
}

export async function seedDatabase(context: CommandContext): Promise<CommandResult> {
  const { seed } = await import('#seed/seed.ts')
  const { seeded } = await seed(databaseUrlOf(context), { extent: 'year' })
  return [
    { seeded },
    seeded ? 'Added the demonstration data.' : 'The database already has organizations; nothing was added.',
  ]
}

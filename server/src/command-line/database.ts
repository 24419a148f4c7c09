import { bringUpToDate } from '#up-to-date.ts'
import { databaseUrlOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'

type Answer = [facts: object, text: string]

export async function migrateDatabase(around: Surroundings): Promise<Answer> {
  const { applied } = await bringUpToDate(databaseUrlOf(around))
  const text = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database was up to date.'
  return [{ applied }, text]
}

export async function seedDatabase(around: Surroundings): Promise<Answer> {
  const { seed } = await import('#seed/seed.ts')
  const { seeded } = await seed(databaseUrlOf(around))
  return [
    { seeded },
    seeded ? 'The demonstration portfolio is in.' : 'The demonstration portfolio was there already.',
  ]
}

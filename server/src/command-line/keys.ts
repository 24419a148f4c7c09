// Which of SECRET_KEYS is needed, and by what; and the way to need only the first.
import { openRestricted } from '#db/effective-role.ts'
import { sealingKeys, type KeyUse } from '#features/sealed-values/queries.ts'
import { configOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'

export interface KeyState {
  readonly key: string
  /** `first` seals, `kept` only opens, `missing` is not among SECRET_KEYS. */
  readonly role: 'first' | 'kept' | 'missing'
  readonly values: number
  readonly kinds: Readonly<Record<string, number>>
}

export async function tellKeys(around: Surroundings) {
  const config = configOf(around)
  const database = await openRestricted({
    ...{ ...config.database, role: 'vacancy_app', poolSize: 1, prepare: false },
    ...{ applicationName: 'vacancy keys', statementTimeoutMs: 30_000, onError: () => {} },
  })
  try {
    const keys = statesOf(
      config.secrets.keys.map(({ id }) => id),
      await sealingKeys(database),
    )
    const isWhole = keys.every(({ role }) => role !== 'missing')
    return { facts: { keys, ok: isWhole }, text: keys.map(inWords).join('\n'), isWhole }
  } finally {
    await database.close()
  }
}

function statesOf(configured: readonly string[], uses: readonly KeyUse[]): KeyState[] {
  const ids = [...new Set([...configured, ...uses.map(({ key }) => key)])]
  return ids.map((key) => {
    const mine = uses.filter((use) => use.key === key)
    return {
      key,
      role: key === configured[0] ? 'first' : configured.includes(key) ? 'kept' : 'missing',
      values: mine.reduce((sum, { sealed }) => sum + sealed, 0),
      kinds: Object.fromEntries(mine.map(({ kind, sealed }) => [kind, sealed])),
    }
  })
}

function inWords({ key, role, values, kinds }: KeyState): string {
  const what = Object.entries(kinds).map(([kind, count]) => `${count} of ${kind.replace('_', ' ')}s`)
  const holds = values === 0 ? 'has sealed nothing' : `has sealed ${values}: ${what.join(', ')}`
  const then = {
    first: 'It seals what is new.',
    kept:
      values === 0 ? 'It may be taken out of SECRET_KEYS.' : 'Run npx vacancy keys reseal before it goes.',
    missing: 'It is not among SECRET_KEYS: put it back, or enter these secrets again.',
  }
  return `${key} ${holds}. ${then[role]}`
}

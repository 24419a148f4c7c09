/** Which keys the stored secrets are sealed with, and sealing them all with the first key. */
import { openRestricted } from '#db/effective-role.ts'
import {
  countByKey,
  type KeyUse,
  resealAll,
  type UnreadableSecret,
} from '#features/operations/secrets/reseal.ts'
import { configOf } from './product-config.ts'
import type { CommandContext } from './command-context.ts'

export interface KeyState {
  readonly key: string
  /** `first` seals, `kept` only opens, `missing` is not in SECRET_KEYS. */
  readonly role: 'first' | 'kept' | 'missing'
  readonly values: number
  readonly kinds: Readonly<Record<string, number>>
}

export async function showKeys(context: CommandContext) {
  const config = configOf(context)
  await using database = await openRestricted({
    ...{ ...config.database, role: 'vacancy_app', poolSize: 1, prepare: false },
    ...{ applicationName: 'vacancy keys', statementTimeoutMs: 30_000, onError: () => {} },
  })
  const keys = statesOf(
    config.secrets.keys.map(({ id }) => id),
    await countByKey(database),
  )
  const isComplete = keys.every(({ role }) => role !== 'missing')
  return { facts: { keys, ok: isComplete }, text: keys.map(describeKey).join('\n'), isComplete }
}

export async function resealSecrets(context: CommandContext, asJson: boolean) {
  const config = configOf(context)
  const result = await resealAll(config, ({ values, resealed }) => {
    if (!asJson && context.err.isTTY) context.err.write(`\r${values} read, ${resealed} resealed`)
  })
  const { values, resealed, unopened } = result
  const done = `Resealed ${resealed} of ${values} stored secrets with the key ${config.secrets.keys[0]!.id}.`
  const text = [done, ...unopened.map(describeUnopened)].join('\n')
  return { facts: { ...result, ok: unopened.length === 0 }, text, isComplete: unopened.length === 0 }
}

function statesOf(configured: readonly string[], uses: readonly KeyUse[]): KeyState[] {
  const ids = [...new Set([...configured, ...uses.map(({ key }) => key)])]
  return ids.map((key) => {
    const usesOfKey = uses.filter((use) => use.key === key)
    return {
      key,
      role: key === configured[0] ? 'first' : configured.includes(key) ? 'kept' : 'missing',
      values: usesOfKey.reduce((sum, { sealed }) => sum + sealed, 0),
      kinds: Object.fromEntries(usesOfKey.map(({ kind, sealed }) => [kind, sealed])),
    }
  })
}

function describeKey({ key, role, values, kinds }: KeyState): string {
  const what = Object.entries(kinds).map(([kind, count]) => `${count} of ${kind.replace('_', ' ')}s`)
  const holds = values === 0 ? 'has sealed nothing' : `has sealed ${values}: ${what.join(', ')}`
  const remedy = {
    first: 'It seals new secrets.',
    kept:
      values === 0
        ? 'It can be removed from SECRET_KEYS.'
        : 'Run npx vacancy keys reseal before removing it.',
    missing: 'It is not in SECRET_KEYS: add it again, or enter these secrets again.',
  }
  return `${key} ${holds}. ${remedy[role]}`
}

const describeUnopened = ({ kind, id, org_id, key }: UnreadableSecret) =>
  `The secret of ${kind.replace('_', ' ')} ${id} (organization ${org_id}) is sealed with the unknown key ${key}: ` +
  'add that key to SECRET_KEYS again, or enter the secret again.'

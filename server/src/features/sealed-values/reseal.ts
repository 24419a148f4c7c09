import type { Config } from '#config.ts'
import { openDatabase, type Database } from '#db/connect.ts'
import { openVault, sealingKeyOf, type Vault } from '#secrets.ts'
import { replaceSealed, sealedColumns, sealedValues, type SealedColumn, type SealedValue } from './queries.ts'

/** A value that no configured key opens. */
export interface Unopened {
  readonly kind: SealedColumn['kind']
  readonly id: string
  readonly org_id: string
  /** The key that sealed it. */
  readonly key: string
}

export interface Resealed {
  /** How many sealed values there are. */
  readonly values: number
  readonly resealed: number
  readonly unopened: readonly Unopened[]
}

type Given = Pick<Config, 'database'> & { readonly secrets: Pick<Config['secrets'], 'keys'> }

const mostPasses = 5

/**
 * Seals everything with the first key that another one sealed. Each value is a transaction of its own that changes
 * nothing when somebody was faster, so that everything else may go on. @throws when the database cannot be used
 */
export async function resealAll(
  { database, secrets }: Given,
  progress: (seen: { values: number; resealed: number }) => void = () => {},
): Promise<Resealed> {
  const vault = openVault(secrets.keys)
  const [first] = secrets.keys
  await using lookout = asRole(database.ownerUrl, 'vacancy_lookout')
  await using writer = asRole(database.ownerUrl, 'vacancy_app')
  let resealed = 0
  for (let pass = 1; pass <= mostPasses; pass++) {
    const unopened: Unopened[] = []
    let values = 0
    let missed = 0
    for await (const { place, value, key } of everySealed(lookout.database)) {
      values++
      if (key === first!.id && canOpen(vault, place, value)) continue
      const fresh = sealedAnew(vault, place, value)
      if (!fresh) unopened.push(unopenedOf(place, value))
      else if (await replaceSealed(writer.database, place, value, fresh)) resealed++
      else missed++
      if (values % 100 === 0) progress({ values, resealed })
    }
    if (missed === 0) return { values, resealed, unopened }
  }
  throw new Error('Stored secrets change faster than they are sealed: run the command again.')
}

export interface SealState {
  readonly values: number
  /** How many values each key sealed that is not the first. */
  readonly byOtherKey: ReadonlyMap<string, number>
  readonly unopened: readonly Unopened[]
}

/** Which keys stored values are sealed with, and whether all of them open. Changes nothing. */
export async function inspectSealed({ database, secrets }: Given): Promise<SealState> {
  const vault = openVault(secrets.keys)
  await using lookout = asRole(database.ownerUrl, 'vacancy_lookout')
  const byOtherKey = new Map<string, number>()
  const unopened: Unopened[] = []
  let values = 0
  for await (const { place, value, key } of everySealed(lookout.database)) {
    values++
    if (!canOpen(vault, place, value)) unopened.push(unopenedOf(place, value))
    else if (key !== secrets.keys[0]!.id) byOtherKey.set(key, (byOtherKey.get(key) ?? 0) + 1)
  }
  return { values, byOtherKey, unopened }
}

async function* everySealed(lookout: Database) {
  for (const place of sealedColumns)
    for await (const value of sealedValues(lookout, place))
      yield { place, value, key: sealingKeyOf(value.sealed) }
}

/** Null when it does not open: its key is gone, or it was altered. */
function sealedAnew(vault: Vault, place: SealedColumn, { org_id, id, sealed }: SealedValue): Buffer | null {
  const name = place.placeOf(org_id, id)
  try {
    return vault.seal(vault.open(sealed, name), name)
  } catch {
    return null
  }
}

const canOpen = (vault: Vault, place: SealedColumn, value: SealedValue) =>
  sealedAnew(vault, place, value) !== null

const unopenedOf = ({ kind }: SealedColumn, { id, org_id, sealed }: SealedValue): Unopened => ({
  kind,
  id,
  org_id,
  key: sealingKeyOf(sealed),
})

/** The owner of the database acts as one of its two roles: as itself it sees nothing of any organization. */
/** One connection in a role, for a command. */
export function asRole(url: string, role: 'vacancy_app' | 'vacancy_lookout') {
  const database = openDatabase({
    ...{ url, role, poolSize: 1, prepare: false, applicationName: 'vacancy secrets' },
    statementTimeoutMs: 30_000,
    onError: () => {},
  })
  return { database, [Symbol.asyncDispose]: () => database.close() }
}

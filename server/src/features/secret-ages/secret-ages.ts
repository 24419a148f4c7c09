import { createHmac, hkdfSync } from 'node:crypto'
import type { Config } from '#config.ts'
import type { Database } from '#db/connect.ts'
import { secretKinds, type SecretKind } from '#secret-kinds.ts'
import { noteFirstUse, oldestStored } from './queries.ts'

export interface SecretAge {
  /** The setting, or the records, that hold it. */
  readonly name: string
  readonly kind: SecretKind
  readonly ageDays: number
  readonly maxDays: number
}

/**
 * How old the secrets are that this process was given, counted from their first use, and the oldest of those stored with
 * records. The settings are looked up once; what is stored is asked for anew each time.
 */
export function openSecretAges(database: Database, secrets: Config['secrets']): () => Promise<SecretAge[]> {
  let noted: Date[] | undefined
  return async () => {
    noted ??= await noteFirstUse(database, fingerprintsOf(secrets))
    const firstUses = noted
    const given = secrets.given.map(({ name, kind }, nth) => ageOf(name, kind, firstUses[nth]!))
    const stored = (await oldestStored(database)).flatMap(({ name, kind, set_at }) =>
      set_at === null ? [] : [ageOf(name, kind, new Date(set_at))],
    )
    return oldestOfEach([...given, ...stored])
  }
}

const ageOf = (name: string, kind: SecretKind, since: Date): SecretAge => ({
  name,
  kind,
  ageDays: Math.max(0, (Date.now() - since.getTime()) / 86_400_000),
  maxDays: secretKinds[kind],
})

/** Of a list under one name, the oldest. */
function oldestOfEach(ages: readonly SecretAge[]): SecretAge[] {
  const oldest = new Map<string, SecretAge>()
  for (const age of ages) if (age.ageDays >= (oldest.get(age.name)?.ageDays ?? 0)) oldest.set(age.name, age)
  return [...oldest.values()]
}

/** A changed key of SECRET_KEYS changes every fingerprint; the keys that still open know them as before. */
function fingerprintsOf({ keys, given }: Config['secrets']) {
  const hashKeys = keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', 'secret age', 32)))
  return given.map(({ name, value }) => ({
    fingerprints: hashKeys.map((key) =>
      createHmac('sha256', key).update(`${name}\0${value}`).digest('base64url'),
    ),
  }))
}

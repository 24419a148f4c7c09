import { createHmac, hkdfSync } from 'node:crypto'
import { sql } from '#db/sql.ts'
import type { Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { maxSecretAgeDays, type SecretKind } from '#config/secrets.ts'

export interface SecretAge {
  /** The setting, or the kind of record, that contains it. */
  readonly name: string
  readonly kind: SecretKind
  readonly ageDays: number
  readonly maxDays: number
}

/**
 * The ages of the secrets in the settings, counted from their first use, and of the oldest stored secrets. The settings
 * are looked up once, the stored secrets each time.
 */
export function openSecretAges(database: Database, secrets: Config['secrets']): () => Promise<SecretAge[]> {
  let firstUses: Date[] | undefined
  return async () => {
    firstUses ??= await recordFirstUses(database, fingerprintsOf(secrets))
    const uses = firstUses
    const given = secrets.given.map(({ name, kind }, index) => ageOf(name, kind, uses[index]!))
    const stored = (await findOldestStored(database)).flatMap(({ name, kind, set_at }) =>
      set_at === null ? [] : [ageOf(name, kind, new Date(set_at))],
    )
    return oldestOfEach([...given, ...stored])
  }
}

const ageOf = (name: string, kind: SecretKind, since: Date): SecretAge => ({
  name,
  kind,
  ageDays: Math.max(0, (Date.now() - since.getTime()) / 86_400_000),
  maxDays: maxSecretAgeDays[kind],
})

/** The oldest age of each name: a setting may be a list. */
function oldestOfEach(ages: readonly SecretAge[]): SecretAge[] {
  const oldest = new Map<string, SecretAge>()
  for (const age of ages) if (age.ageDays >= (oldest.get(age.name)?.ageDays ?? 0)) oldest.set(age.name, age)
  return [...oldest.values()]
}

/** One fingerprint for each key of SECRET_KEYS, so that a secret is recognized after a new key was added. */
function fingerprintsOf({ keys, given }: Config['secrets']) {
  const hashKeys = keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', 'secret age', 32)))
  return given.map(({ name, value }) => ({
    fingerprints: hashKeys.map((key) =>
      createHmac('sha256', key).update(`${name}\0${value}`).digest('base64url'),
    ),
  }))
}

/** The fingerprints of a secret, one for each key; the first belongs to the current key. */
interface FingerprintedSecret {
  readonly fingerprints: readonly string[]
}

interface FirstUse {
  readonly fingerprint: string
  readonly first_used_at: string
}

/** The first use of each secret, in order: now if none of its fingerprints is known. */
async function recordFirstUses(database: Database, secrets: readonly FingerprintedSecret[]): Promise<Date[]> {
  const currentFingerprints = secrets.map(({ fingerprints }) => fingerprints[0]!)
  const [, found] = await database.pipelined({ orgId: null }, [
    sql`
      insert into secret_ages (fingerprint, first_used_at)
      select
        secret.fingerprints[1],
        coalesce(
          (select min(known.first_used_at) from secret_ages known where known.fingerprint = any(secret.fingerprints)),
          now()
        )
      from jsonb_to_recordset(${JSON.stringify(secrets)}::jsonb) as secret (fingerprints text[])
      on conflict (fingerprint) do nothing`,
    sql<FirstUse>`
      select fingerprint, first_used_at
      from secret_ages
      where fingerprint = any(${currentFingerprints}::text[])`,
  ])
  const firstUses = new Map(found.map((row) => [row.fingerprint, row.first_used_at]))
  return currentFingerprints.map((fingerprint) => new Date(firstUses.get(fingerprint)!))
}

/** When the oldest stored secret of each kind of record was set; null where there is none. */
async function findOldestStored(database: Database) {
  const [found] = await database.pipelined({ orgId: null }, [
    sql<{
      name: string
      kind: 'pms' | 'webhook_signing'
      set_at: string | null
    }>`select name, kind, set_at from oldest_stored_secrets()`,
  ])
  return found
}

import type { Config } from '#config.ts'
import { asRole, inspectSealed } from '#features/sealed-values/reseal.ts'
import { openSecretAges } from '#features/secret-ages/secret-ages.ts'
import type { Check } from './check.ts'

export const checkSecrets = (config: Config): Check => ({
  name: 'Stored secrets',
  advice:
    'Run npx vacancy secrets reseal. A key that is missing must come back into SECRET_KEYS, or the secret be entered again.',
  look: async () => {
    const { values, byOtherKey, unopened } = await inspectSealed(config)
    const first = config.secrets.keys[0]!.id
    const others = [...byOtherKey].map(
      ([key, count]) => `${count} with ${key}, not with the first key ${first}`,
    )
    const closed = unopened.length > 0 ? [`${unopened.length} that no key opens (${namesOf(unopened)})`] : []
    const faults = [...others, ...closed]
    if (faults.length > 0) throw new Error(`of ${values} sealed: ${faults.join('; ')}`)
    return values === 0 ? 'there are none' : `${values}, all sealed with the key ${first}`
  },
})

function namesOf(unopened: Awaited<ReturnType<typeof inspectSealed>>['unopened']) {
  const names = unopened.slice(0, 3).map(({ kind, id, key }) => `${kind} ${id} by ${key}`)
  return unopened.length > 3 ? `${names.join(', ')}, …` : names.join(', ')
}

export const checkSecretAges = ({ database, secrets }: Config): Check => ({
  name: 'Age of secrets',
  advice: 'Change them: docs/operations.md says how, without an interruption.',
  look: async () => {
    await using connection = asRole(database.url, 'vacancy_app')
    const ages = await openSecretAges(connection.database, secrets)()
    const old = ages.filter(({ ageDays, maxDays }) => ageDays > maxDays)
    if (old.length > 0)
      throw new Error(
        old
          .map(
            ({ name, ageDays, maxDays }) => `${name} for ${Math.floor(ageDays)} days, of at most ${maxDays}`,
          )
          .join('; '),
      )
    return ages.length === 0 ? 'there are none' : `${ages.length}, none too old`
  },
})

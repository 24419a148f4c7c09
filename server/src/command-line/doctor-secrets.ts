import type { Config } from '#config/config.ts'
import { openAsRole, inspectSealed } from '#features/operations/secrets/reseal.ts'
import { openSecretAges } from '#features/operations/secret-ages/secret-ages.ts'
import type { DoctorCheck } from './doctor-check.ts'

export const checkSecrets = (config: Config): DoctorCheck => ({
  name: 'Stored secrets',
  advice:
    'Give the doctor DATABASE_OWNER_URL. Run npx vacancy secrets reseal. Add a missing key to SECRET_KEYS again, or enter the secret again.',
  run: async () => {
    const { values, byOtherKey, unopened } = await inspectSealed(config)
    const first = config.secrets.keys[0]!.id
    const others = [...byOtherKey].map(
      ([key, count]) => `${count} with ${key}, not with the first key ${first}`,
    )
    const closed =
      unopened.length > 0 ? [`${unopened.length} that no key can open (${namesOf(unopened)})`] : []
    const faults = [...others, ...closed]
    if (faults.length > 0) throw new Error(`of ${values} sealed: ${faults.join('; ')}`)
    return values === 0 ? 'there are none' : `${values}, all sealed with the key ${first}`
  },
})

function namesOf(unopened: Awaited<ReturnType<typeof inspectSealed>>['unopened']) {
  const names = unopened.slice(0, 3).map(({ kind, id, key }) => `${kind} ${id} by ${key}`)
  return unopened.length > 3 ? `${names.join(', ')}, …` : names.join(', ')
}

export const checkSecretAges = ({ database, secrets }: Config): DoctorCheck => ({
  name: 'Secret age',
  advice: 'Change them; docs/operations.md describes how, without downtime.',
  run: async () => {
    await using restricted = openAsRole(database.url, 'vacancy_app')
    const ages = await openSecretAges(restricted, secrets)()
    const old = ages.filter(({ ageDays, maxDays }) => ageDays > maxDays)
    if (old.length > 0)
      throw new Error(
        old
          .map(
            ({ name, ageDays, maxDays }) => `${name} is ${Math.floor(ageDays)} days old (limit ${maxDays})`,
          )
          .join('; '),
      )
    return ages.length === 0 ? 'there are none' : `${ages.length}, none too old`
  },
})

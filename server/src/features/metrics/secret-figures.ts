import { gauge } from '#metrics.ts'
import type { SecretAge } from '../secret-ages/secret-ages.ts'

const age = gauge('vacancy_secret_age_seconds', 'For how long a secret has been in use.', 'name', 'kind')
const limit = gauge('vacancy_secret_max_age_seconds', 'When a secret is to be changed.', 'name', 'kind')

const secondsPerDay = 86_400

/** Sets the figures of secrets. Never fails: what nobody knows is left out. */
export function secretFigures(readAges: () => Promise<SecretAge[]>): () => Promise<void> {
  return async () => {
    const ages = await readAges().catch(() => [])
    for (const one of [age, limit]) one.reset()
    for (const { name, kind, ageDays, maxDays } of ages) {
      age.set({ name, kind }, ageDays * secondsPerDay)
      limit.set({ name, kind }, maxDays * secondsPerDay)
    }
  }
}

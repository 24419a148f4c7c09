import { migrate } from '#db/migrate.ts'
import { seed } from '#seed/seed.ts'
import { parseSecretKeys } from '#config/secrets.ts'
import { openVault } from '#secrets/vault.ts'
import type { PrepareRequest, PrepareOutcome, SeedRequest } from './prepare-database.ts'

process.once('message', (request: PrepareRequest) => {
  void prepare(request).then((outcome) => process.send?.(outcome, () => process.disconnect()))
})

/** The request, which holds a password, comes as a message: arguments can be read by every user of the machine. */
async function prepare({ url, seed: wanted }: PrepareRequest): Promise<PrepareOutcome> {
  try {
    const { applied } = await migrate(url)
    const seeded = wanted ? await seed(url, optionsOf(wanted)) : { seeded: false, payments: [] }
    return { prepared: { applied, ...seeded } }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { failure: message || String(code ?? error) }
  }
}

const optionsOf = ({ extent, secretKeys, webhookUrl }: SeedRequest) => ({
  extent,
  services: { vault: openVault(parseSecretKeys(secretKeys)), webhookUrl },
})

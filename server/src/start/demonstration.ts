import type { Config } from '#config/config.ts'
import { refusedListing } from '#seed/refused-listing.ts'
import type { SeedRequest } from './prepare-database.ts'

interface SeedFacts {
  isEmbedded: boolean
  secretKeys: string
  mailPort: number
}

/** What is written into an empty database: a database that was given stays empty unless VACANCY_SEED asks for data. */
export function demonstrationFor(
  { demonstration }: Config,
  { isEmbedded, secretKeys, mailPort }: SeedFacts,
): SeedRequest | null {
  if (!isEmbedded && demonstration === 'false') return null
  const extent = demonstration === 'portfolio' ? 'portfolio' : 'year'
  return { extent, secretKeys, webhookUrl: `http://127.0.0.1:${mailPort}/webhooks` }
}

/** Makes the PMS of the sandbox refuse one listing of the demonstration for good. */
export async function refuseListing(pmsUrl: string): Promise<void> {
  const response = await fetch(`${pmsUrl}/_control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      mode: 'refuse',
      status: 404,
      message: 'the property has no such unit',
      ...refusedListing,
    }),
  })
  if (!response.ok) throw new Error(`The sandbox PMS refused a fault with ${response.status}.`)
}

import type { Config } from '#config/config.ts'
import type { SeededPayment } from '#seed/queries.ts'
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
export const refuseListing = (pmsUrl: string): Promise<void> =>
  control(`${pmsUrl}/_control/faults`, 'PUT', {
    mode: 'refuse',
    status: 404,
    message: 'the property has no such unit',
    ...refusedListing,
  })

/** Tells the payment provider of the sandbox what guests have paid. */
export const recordPayments = (paymentsUrl: string, payments: readonly SeededPayment[]): Promise<void> =>
  control(`${paymentsUrl}/_control/ledger`, 'POST', { payments })

async function control(url: string, method: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`The sandbox refused ${method} ${url} with ${response.status}.`)
}

/** Checks the payment provider, and that its payments have a record here. */
import type { Config } from '#config/config.ts'
import { openRestricted } from '#db/effective-role.ts'
import { doctorConnection } from '#features/operations/health/database-state.ts'
import { listUnknownPayments } from '#features/reservations/payments/unknown-payments.ts'
import type { OpenedPayment } from '#integrations/payments/payments.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { openPayments } from '../resources.ts'
import { getJson } from './doctor-services.ts'

const stripeUrl = 'https://api.stripe.com'
const recentDays = 7
const maxNamed = 10

export function checkPayments(config: Config): DoctorCheck[] {
  const { apiKey, url } = config.payments
  const payments = openPayments(config)
  if (!payments.isConfigured) return []
  const address = url ?? stripeUrl
  return [
    {
      name: 'Payments',
      advice: 'Check PAYMENTS_URL and PAYMENTS_API_KEY.',
      run: async () => {
        await getJson(`${address}/v1/balance`, apiKey ? { authorization: `Bearer ${apiKey}` } : {})
        return address
      },
    },
    {
      name: 'Payment records',
      advice:
        'After a restore of the database, refund or cancel these payments at the provider, or note at the booking that they are paid: "Back up and restore" in docs/operations.md.',
      run: async () => {
        const since = new Date(Date.now() - recentDays * 86_400_000)
        const opened = await payments.listOpened(since, { traceparent: null })
        await using restricted = await openRestricted({
          ...{ ...config.database, role: 'vacancy_app', poolSize: 2, ...doctorConnection },
        })
        const unknown = await listUnknownPayments(restricted, opened)
        if (unknown.length > 0) {
          const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
          throw new Error(`no record of ${unknown.slice(0, maxNamed).map(describe).join(', ')}${more}`)
        }
        return `all ${opened.length} payments at the provider of the last ${recentDays} days are known`
      },
    },
  ]
}

const describe = ({ reference, status, orgId, bookingId }: OpenedPayment) =>
  `${reference} (${status}; booking ${bookingId} of the organization ${orgId})`

/** Checks the payment provider, and that its payments have a record here. */
import type { Config } from '#config/config.ts'
import { openRestricted } from '#db/effective-role.ts'
import { doctorConnection } from '#features/operations/health/database-state.ts'
import { listUnknownPayments } from '#features/reservations/payments/unknown-payments.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { getJson } from './doctor-services.ts'

const recentDays = 7
const pageSize = 100
const maxPages = 20
const maxNamed = 10

export function checkPayments({ payments: { url, apiKey }, database }: Config): DoctorCheck[] {
  if (url === null) return []
  const read = <Body>(path: string) =>
    getJson<Body>(`${url}/v1/${path}`, apiKey ? { authorization: `Bearer ${apiKey}` } : {})
  return [
    {
      name: 'Payments',
      advice: 'Check PAYMENTS_URL and PAYMENTS_API_KEY.',
      run: async () => {
        await read('balance')
        return url
      },
    },
    {
      name: 'Payment records',
      advice:
        'After a restore of the database, refund or cancel these payments at the provider, or note at the booking that they are paid: "Back up and restore" in docs/operations.md.',
      run: async () => {
        const payments = await listRecentPayments(read)
        await using restricted = await openRestricted({
          ...{ ...database, role: 'vacancy_app', poolSize: 2, ...doctorConnection },
        })
        const unknown = await listUnknownPayments(restricted, payments)
        if (unknown.length > 0) {
          const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
          throw new Error(`no record of ${unknown.slice(0, maxNamed).map(describe).join(', ')}${more}`)
        }
        return `all ${payments.length} payments at the provider of the last ${recentDays} days are known`
      },
    },
  ]
}

interface Payment {
  readonly id: string
  readonly status: string
  readonly metadata: {
    readonly payment_intent_id?: string
    readonly org_id?: string
    readonly booking_id?: string
  }
}

/** The payments that were opened for a booking and not cancelled, latest first. */
async function listRecentPayments(read: <Body>(path: string) => Promise<Body>) {
  const since = Math.floor(Date.now() / 1_000) - recentDays * 86_400
  const found: Payment[] = []
  let after = ''
  for (let page = 0; page < maxPages; page++) {
    const path = `payment_intents?created[gte]=${since}&limit=${pageSize}${after}`
    const { data, has_more } = await read<{ data: Payment[]; has_more: boolean }>(path)
    found.push(...data)
    if (!has_more || data.length === 0) break
    after = `&starting_after=${data.at(-1)!.id}`
  }
  return found.flatMap(({ id: reference, status, metadata }) => {
    const { payment_intent_id: ourId, org_id: orgId, booking_id: bookingId } = metadata
    return ourId && orgId && bookingId && status !== 'canceled'
      ? [{ reference, status, ourId, orgId, bookingId }]
      : []
  })
}

const describe = ({
  reference,
  status,
  orgId,
  bookingId,
}: Awaited<ReturnType<typeof listRecentPayments>>[number]) =>
  `${reference} (${status}; booking ${bookingId} of the organization ${orgId})`

/** Exports and erases guests through the API, as an owner. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openApiClient, type ApiOptions } from './api-client.ts'
import type { CommandContext } from './command-context.ts'

/** Selects the bookings of a guest; one member is set. */
export interface GuestSelector {
  email?: string
  phone?: string
  booking?: string
}

interface Erasure {
  id: string
  status: string
  bookings: number | null
  erased: Record<string, number>
}

const subjectOf = ({ email, phone, booking }: GuestSelector) =>
  email ? { email } : phone ? { phone } : { booking_id: booking }

export async function exportGuest(
  context: CommandContext,
  options: ApiOptions & GuestSelector,
): Promise<string> {
  const api = await openApiClient(context, options)
  const { guest_export } = await api.request<{ guest_export: object }>(
    'POST',
    '/api/v1/guest-exports',
    subjectOf(options),
  )
  return JSON.stringify(guest_export, null, 2)
}

const maxWaitMs = 600_000

export async function eraseGuest(
  context: CommandContext,
  options: ApiOptions & GuestSelector & { wait: boolean },
): Promise<[facts: object, text: string, isDone: boolean]> {
  const api = await openApiClient(context, options)
  const path = '/api/v1/guest-erasures'
  let { guest_erasure: erasure } = await api.request<{ guest_erasure: Erasure }>(
    'POST',
    path,
    subjectOf(options),
  )
  for (
    const until = Date.now() + maxWaitMs;
    options.wait && erasure.status !== 'completed' && Date.now() < until;
  ) {
    await sleep(500)
    erasure = (await api.request<{ guest_erasure: Erasure }>('GET', `${path}/${erasure.id}`)).guest_erasure
  }
  return [{ guest_erasure: erasure }, describeErasure(erasure), erasure.status === 'completed']
}

function describeErasure({ id, status, bookings, erased }: Erasure): string {
  if (status !== 'completed') return `The erasure ${id} is ${status}: see GET /api/v1/guest-erasures/${id}.`
  const kinds = Object.entries(erased).map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
  const summary = kinds.length > 0 ? `erased ${kinds.join(', ')}` : 'no data of the guest was left'
  return `Erasure ${id} completed: found ${bookings} bookings, ${summary}.`
}

// Asks the API about guests; only an owner may.
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, type Access } from './call-api.ts'
import type { Surroundings } from './surroundings.ts'

/** By what a guest is named. */
export type Named = { email?: string; phone?: string; booking?: string }

interface Erasure {
  id: string
  status: string
  bookings: number | null
  erased: Record<string, number>
}

const subjectOf = ({ email, phone, booking }: Named) =>
  email ? { email } : phone ? { phone } : { booking_id: booking }

export async function exportGuest(around: Surroundings, options: Access & Named): Promise<string> {
  const api = await openApi(around, options)
  const { guest_export } = await api.ask<{ guest_export: object }>(
    'POST',
    '/api/v1/guest-exports',
    subjectOf(options),
  )
  return JSON.stringify(guest_export, null, 2)
}

const patienceMs = 600_000

export async function eraseGuest(
  around: Surroundings,
  options: Access & Named & { wait: boolean },
): Promise<[facts: object, text: string, isDone: boolean]> {
  const api = await openApi(around, options)
  const path = '/api/v1/guest-erasures'
  let { guest_erasure: one } = await api.ask<{ guest_erasure: Erasure }>('POST', path, subjectOf(options))
  for (
    const until = Date.now() + patienceMs;
    options.wait && one.status !== 'completed' && Date.now() < until;
  ) {
    await sleep(500)
    one = (await api.ask<{ guest_erasure: Erasure }>('GET', `${path}/${one.id}`)).guest_erasure
  }
  return [{ guest_erasure: one }, inWords(one), one.status === 'completed']
}

function inWords({ id, status, bookings, erased }: Erasure): string {
  if (status !== 'completed')
    return `The erasure ${id} is ${status}: GET /api/v1/guest-erasures/${id} tells more.`
  const kinds = Object.entries(erased).map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
  const taken = kinds.length > 0 ? `taken out of ${kinds.join(', ')}` : 'nothing of the guest was left'
  return `Forgotten (${id}): ${bookings} bookings found, ${taken}.`
}

import { createHash } from 'node:crypto'
import type { Egress } from '#egress.ts'
import type { Call } from '../pms-call.ts'
import { planSupport, termNames, type Draft, type Offer, type Provider, type UnitContent } from '../pms.ts'
import { nonsense, refuse } from './answers.ts'
import { sandboxBookings } from './bookings.ts'
import { sandboxNotices } from './notices.ts'
import { push } from './push.ts'
import { readBack } from './read-back.ts'
import { sandboxApi, type Send } from './sandbox-api.ts'

const contentNames = [
  'name',
  'type',
  'bedrooms',
  'bathrooms',
  'max_guests',
  'quantity',
  'base_price_cents',
  'currency',
  'open',
  'photos',
  'space',
] as const satisfies readonly (keyof UnitContent)[]

/** The PMS that `vacancy start` brings along: it holds all that we know, and has no limits. */
export const sandboxProvider = (egress: Egress, defaultUrl: string | null): Provider => ({
  name: 'sandbox',
  terms: termNames,
  ...planSupport.sandbox,
  stopsByRooms: false,
  namesAreOurs: true,
  sharesProperty: false,
  content: contentNames,
  budgets: [],
  parcelsPerPush: 100,
  unitsPerRead: 100,
  notices: sandboxNotices,
  bookings: { pollSeconds: null, feedSeconds: null },
  connect(target) {
    const send = sandboxApi(egress, target, defaultUrl)
    return {
      bookings: sandboxBookings,
      push: (parcels, call) => push(send, parcels, call),
      read: (units, nights, call) => readBack(send, units, nights, call),
      offers: (call) => offers(send, call),
      create: (draft) => Promise.resolve(named(draft)),
      async check(call) {
        const answer = await send('health', 'GET', '/health', undefined, call)
        refuse(answer)
        const { status } = (answer.body ?? {}) as { status?: unknown }
        if (status !== 'ok') throw nonsense(answer, 'that does not say how it is')
      },
    }
  },
})

/** Its plans have no records of their own: any name will do. */
async function offers(send: Send, call: Call): Promise<Offer[]> {
  const answer = await send('units', 'GET', '/units', undefined, call)
  refuse(answer)
  const { units } = (answer.body ?? {}) as { units?: unknown }
  if (!Array.isArray(units)) throw nonsense(answer, 'that is no list of units')
  return (units as ({ external_id: string } & UnitContent)[]).map((unit) => ({
    external_id: unit.external_id,
    name: unit.name,
    max_guests: unit.max_guests,
    quantity: unit.quantity,
    currency: unit.currency,
    active: unit.open,
    rate_plans: [],
  }))
}

/** A name for the unit, the same for the same draft. The unit is there when it is put there for the first time. */
function named({ plans, taken, idempotencyKey }: Draft) {
  const names = new Set<string>()
  for (const { name } of plans) names.add(unusedOf(slugOf(name), names))
  const slugs = [...names]
  return {
    externalId: externalIdOf(idempotencyKey, new Set(taken)),
    plans: plans.map(({ plan }, index) => ({ plan, externalId: slugs[index]! })),
  }
}

function externalIdOf(key: string, taken: ReadonlySet<string>): string {
  const id = `V-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
  return taken.has(id) ? externalIdOf(`${key}+`, taken) : id
}

function slugOf(name: string): string {
  const letters = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  return (
    letters
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 100) || 'plan'
  )
}

function unusedOf(name: string, used: ReadonlySet<string>, count = 2): string {
  if (!used.has(name)) return name
  return used.has(`${name}-${count}`) ? unusedOf(name, used, count + 1) : `${name}-${count}`
}

import type { Egress } from '#egress.ts'
import { planSupport, type Offer, type PmsConnection, type PmsTarget, type Provider } from '../pms.ts'
import { converse } from './conversation.ts'
import { create } from './create.ts'
import { heldContent, offerOf } from './listing.ts'
import { listingsOf, type Memory } from './listings.ts'
import { hostawayNotices } from './notices.ts'
import { push } from './push.ts'
import { readBack } from './read-back.ts'
import { hostawayBookings } from './reservations.ts'
import { strange } from './refusal.ts'
import { openTokens } from './tokens.ts'

/**
 * Hostaway's public API, version 1. Its account is our property: listings belong to the account and to nothing
 * between, so that `property_ref` is only a name. A listing is our unit, with one price of its own instead of rate
 * plans; it knows no stop sell, and a night without rooms takes its place.
 */
export function hostawayProvider(egress: Egress): Provider {
  const tokens = openTokens(egress)
  const memory: Memory = new Map()
  return {
    name: 'hostaway',
    terms: ['price_cents', 'min_stay_arrival', 'max_stay', 'closed_to_arrival', 'closed_to_departure'],
    ...planSupport.hostaway,
    stopsByRooms: true,
    namesAreOurs: false,
    sharesProperty: false,
    content: heldContent,
    // By address; an account may call twenty times, and shares the address with all our others.
    budgets: [{ kind: 'calls', calls: 15, windowSeconds: 10 }],
    parcelsPerPush: 20,
    unitsPerRead: 1,
    notices: hostawayNotices,
    bookings: { pollSeconds: 60, feedSeconds: null },
    connect(target): PmsConnection {
      const ask = converse(egress, tokens, target)
      const listings = listingsOf(ask, memory, accountName(target))
      return {
        bookings: hostawayBookings(ask),
        push: (parcels, call) => push(ask, listings, parcels, call),
        read: (units, nights, call) => readBack(ask, listings, units, nights, call),
        create: (draft, call) => create(ask, listings, draft, call),
        async offers(call) {
          const offers: Offer[] = []
          for await (const page of listings.pages(call)) offers.push(...page.listings.map(offerOf))
          return offers
        },
        async check(call) {
          const question = { method: 'GET', path: '/listings?limit=1&includeResources=0' } as const
          const { result, exchange } = await ask(question, call)
          if (!Array.isArray(result)) throw strange({ exchange })
        },
      }
    },
  }
}

const accountName = ({ baseUrl, credentials }: PmsTarget) =>
  JSON.stringify([baseUrl, credentials?.['account_id']])

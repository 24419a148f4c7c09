import type { Egress } from '#egress/egress.ts'
import type { Offer, PmsConnection } from '../pms.ts'
import { planSupport, type PmsTarget, type Provider } from '../pms-provider.ts'
import { openAccessTokens } from './access-tokens.ts'
import { hostawayBookings } from './bookings.ts'
import { createUnit } from './create-unit.ts'
import { unexpectedResponse } from './failures.ts'
import { hostawayApi } from './hostaway-api.ts'
import { contentFields, toOffer } from './listing.ts'
import { openListings, type MultiUnitCache } from './listings.ts'
import { hostawayNoticeReader } from './notice-reader.ts'
import { hostawayPortfolio } from './portfolio.ts'
import { push } from './push.ts'
import { readUnits } from './read-units.ts'

/**
 * The public API of Hostaway, version 1. The account takes the place of the property: listings belong directly to it,
 * and `property_ref` is only a name. A listing is our unit, with one price instead of rate plans; it has no stop sell,
 * so a stopped night is sent as a night without rooms.
 */
export function hostawayProvider(egress: Egress): Provider {
  const tokens = openAccessTokens(egress)
  const multiUnitCache: MultiUnitCache = new Map()
  return {
    name: 'hostaway',
    terms: ['price_cents', 'min_stay_arrival', 'max_stay', 'closed_to_arrival', 'closed_to_departure'],
    ...planSupport.hostaway,
    stopSellAsNoRooms: true,
    acceptsOurIds: false,
    oneSpacePerTarget: false,
    contentFields,
    // The limit is 15 calls per IP address and 20 per account; the IP address is shared by all our accounts.
    budgets: [{ kind: 'calls', calls: 15, windowSeconds: 10 }],
    unitsPerPush: 20,
    unitsPerRead: 1,
    noticeReader: hostawayNoticeReader,
    connect(target): PmsConnection {
      const send = hostawayApi(egress, tokens, target)
      const listings = openListings(send, multiUnitCache, accountKey(target))
      return {
        bookings: hostawayBookings(send),
        portfolio: hostawayPortfolio(send, listings),
        push: (updates, call) => push(send, listings, updates, call),
        readUnits: (units, nights, call) => readUnits(send, listings, units, nights, call),
        createUnit: (unit, call) => createUnit(send, listings, unit, call),
        async listOffers(call) {
          const offers: Offer[] = []
          for await (const page of listings.pages(call)) offers.push(...page.listings.map(toOffer))
          return offers
        },
        async checkAccess(call) {
          const request = { method: 'GET', path: '/listings?limit=1&includeResources=0' } as const
          const { result, exchange } = await send(request, call)
          if (!Array.isArray(result)) throw unexpectedResponse({ exchange })
        },
      }
    },
  }
}

const accountKey = ({ baseUrl, credentials }: PmsTarget) =>
  JSON.stringify([baseUrl, credentials?.['account_id']])

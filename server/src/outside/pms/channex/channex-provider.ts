import type { Egress } from '#egress.ts'
import type { Call } from '../pms-call.ts'
import { planSupport, termNames, type Delivery, type Parcel, type PmsTarget, type Provider } from '../pms.ts'
import { channexBookings } from './bookings.ts'
import { channexApi, type ChannexApi } from './channex-api.ts'
import { heldMembers, propertyMembers, roomMembers } from './content.ts'
import { createUnit } from './create-unit.ts'
import { openDeliveries } from './deliveries.ts'
import { planWishes, roomWishes } from './messages.ts'
import { channexNotices } from './notices.ts'
import { listOffers } from './offers.ts'
import { readBack } from './read-back.ts'
import { sendContent } from './send-content.ts'
import { parcelsOf, sendMessages } from './send-messages.ts'
import { taskStates } from './tasks.ts'

/** Channex: a property with room types and rate plans, told of its calendar in two kinds of message. */
export const channexProvider = (egress: Egress): Provider => ({
  name: 'channex',
  terms: termNames,
  ...planSupport.channex,
  stopsByRooms: false,
  namesAreOurs: false,
  sharesProperty: true,
  content: [...roomMembers, ...propertyMembers],
  // Content and reading have no documented limit.
  budgets: [
    { kind: 'availability', calls: 10, windowSeconds: 60 },
    { kind: 'restrictions', calls: 10, windowSeconds: 60 },
  ],
  parcelsPerPush: 100,
  unitsPerRead: 100,
  notices: channexNotices,
  bookings: { pollSeconds: 60, feedSeconds: 1_500 },
  connect(target: PmsTarget) {
    const api = channexApi(egress, target)
    return {
      push: (parcels, call) => push(api, parcels, call),
      read: (units, nights, call) => readBack(api, units, nights, call),
      taskStates: (tasks, call) => taskStates(api, tasks, call),
      bookings: channexBookings(api),
      offers: (call) => listOffers(api, call),
      create: (draft, call) => createUnit(api, draft, call),
      async check(call) {
        await api.find('properties', api.property, call)
      },
    }
  },
})

/**
 * One message about rooms, one about prices and stays, then the content. Rooms go first, as they are what can be
 * sold twice, unless only the other message closes something.
 */
async function push(
  api: ChannexApi,
  parcels: readonly Parcel[],
  call: Call,
): Promise<ReadonlyMap<string, Delivery>> {
  const deliveries = openDeliveries(parcels)
  const rooms = roomWishes(api.property, parcels)
  const { wishes: rates, homeless } = planWishes(api.property, parcels)
  for (const [parcel, failure] of homeless) deliveries.failed([parcel], failure)

  const ofRooms = { kind: 'availability', wishes: rooms } as const
  const ofPlans = { kind: 'restrictions', wishes: rates } as const
  const plansFirst = rates.some(({ closes }) => closes) && !rooms.some(({ closes }) => closes)
  const [first, second] = plansFirst ? [ofPlans, ofRooms] : [ofRooms, ofPlans]
  const withContent = parcels.filter((parcel) => heldMembers(parcel).length > 0)

  let pointless = await sendMessages(api, first.kind, first.wishes, call, deliveries)
  if (pointless) deliveries.failed(parcelsOf(second.wishes), pointless)
  else pointless = await sendMessages(api, second.kind, second.wishes, call, deliveries)
  if (pointless) deliveries.failed(withContent, pointless)
  else await sendContent(api, withContent, call, deliveries)
  return deliveries.results()
}

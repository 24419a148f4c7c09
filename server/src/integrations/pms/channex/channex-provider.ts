import type { Egress } from '#egress/egress.ts'
import type { CallContext } from '../pms-call.ts'
import { termNames, type UpdateResult, type UnitUpdate } from '../pms.ts'
import { planSupport, type PmsTarget, type Provider } from '../pms-provider.ts'
import { trackResults } from '../result-tracker.ts'
import { channexBookings } from './bookings.ts'
import { availabilityChanges, restrictionChanges } from './calendar-changes.ts'
import { channexApi, type ChannexApi } from './channex-api.ts'
import { fieldsToSend, propertyFields, roomFields } from './content.ts'
import { createUnit } from './create-unit.ts'
import { channexNoticeReader } from './notice-reader.ts'
import { listOffers } from './offers.ts'
import { channexPortfolio } from './portfolio.ts'
import { readUnits } from './read-units.ts'
import { sendContent } from './send-content.ts'
import { sendMessages, updatesOf } from './send-messages.ts'
import { getTaskStates } from './tasks.ts'

/** Channex: a property with room types and rate plans, whose calendar is sent in two kinds of message. */
export const channexProvider = (egress: Egress): Provider => ({
  name: 'channex',
  terms: termNames,
  ...planSupport.channex,
  stopSellAsNoRooms: false,
  acceptsOurIds: false,
  oneSpacePerTarget: true,
  contentFields: [...roomFields, ...propertyFields],
  // Channex documents no limit for content and for reading.
  budgets: [
    { kind: 'availability', calls: 10, windowSeconds: 60 },
    { kind: 'restrictions', calls: 10, windowSeconds: 60 },
  ],
  unitsPerPush: 100,
  unitsPerRead: 100,
  noticeReader: channexNoticeReader,
  connect(target: PmsTarget) {
    const api = channexApi(egress, target)
    return {
      push: (updates, call) => push(api, updates, call),
      readUnits: (units, nights, call) => readUnits(api, units, nights, call),
      getTaskStates: (tasks, call) => getTaskStates(api, tasks, call),
      bookings: channexBookings(api),
      portfolio: channexPortfolio(api),
      listOffers: (call) => listOffers(api, call),
      createUnit: (unit, call) => createUnit(api, unit, call),
      async checkAccess(call) {
        await api.find('properties', api.property, call)
      },
    }
  },
})

/**
 * Sends one message of availability, one of prices and restrictions, then the content. Availability goes first, because
 * it prevents overbooking, unless only the other message closes nights.
 */
async function push(
  api: ChannexApi,
  updates: readonly UnitUpdate[],
  call: CallContext,
): Promise<ReadonlyMap<string, UpdateResult>> {
  const hasContent = (update: UnitUpdate) => fieldsToSend(update).length > 0
  const results = trackResults(updates, hasContent)
  const rooms = availabilityChanges(api.property, updates)
  const { changes: rates, unmapped } = restrictionChanges(api.property, updates)
  for (const [update, failure] of unmapped) results.fail([update], failure)

  const availability = { kind: 'availability', changes: rooms } as const
  const restrictions = { kind: 'restrictions', changes: rates } as const
  const restrictionsFirst = rates.some(({ closes }) => closes) && !rooms.some(({ closes }) => closes)
  const [first, second] = restrictionsFirst ? [restrictions, availability] : [availability, restrictions]
  const contentUpdates = updates.filter(hasContent)

  let fatal = await sendMessages(api, first.kind, first.changes, call, results)
  if (fatal) results.fail(updatesOf(second.changes), fatal)
  else fatal = await sendMessages(api, second.kind, second.changes, call, results)
  if (fatal) results.fail(contentUpdates, fatal)
  else await sendContent(api, contentUpdates, call, results)
  return results.results()
}

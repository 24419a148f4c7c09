import type { Offer } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import type { PreflightProblem } from './preflight.ts'
import type { LinkedListing, ListingMapping } from './queries.ts'

/** A problem before the id of its listing is added. */
export type ListingProblem = Omit<PreflightProblem, 'channel_listing_id'>

/** What a listing is compared with. */
export interface PreflightContext {
  readonly provider: Provider
  /** The rooms at the PMS by external id; null when the PMS could not be called. */
  readonly rooms: ReadonlyMap<string, Offer> | null
  readonly plans: ReadonlyMap<string, { readonly room: Offer; readonly plan: Offer['rate_plans'][number] }>
  /** The listings that map a room or rate plan of the property, through any target. */
  readonly mappingsByRoom: ReadonlyMap<string | null, readonly ListingMapping[]>
  readonly mappingsByPlan: ReadonlyMap<string, readonly ListingMapping[]>
}

export function buildPreflightContext(
  provider: Provider,
  offers: readonly Offer[] | null,
  mappings: readonly ListingMapping[],
): PreflightContext {
  const plans = (offers ?? []).flatMap((room) =>
    room.rate_plans.map((plan) => [plan.external_id, { room, plan }] as const),
  )
  const mappingsByPlan = new Map<string, ListingMapping[]>()
  for (const mapping of mappings)
    for (const { external_id } of mapping.rate_plans)
      mappingsByPlan.set(external_id, [...(mappingsByPlan.get(external_id) ?? []), mapping])
  return {
    provider,
    rooms: offers && new Map(offers.map((offer) => [offer.external_id, offer])),
    plans: new Map(plans),
    mappingsByRoom: Map.groupBy(mappings, ({ external_id }) => external_id),
    mappingsByPlan,
  }
}

export const findOtherMapping = (mappings: readonly ListingMapping[] | undefined, { id }: LinkedListing) =>
  mappings?.find((mapping) => mapping.id !== id)

export const currencyProblem = (
  field: string,
  ours: string,
  name: string,
  theirs: string,
): ListingProblem => ({
  severity: 'error',
  code: 'currency_differs',
  field,
  message: `The prices of the unit are in ${ours.toUpperCase()}, those of ${name} at the PMS in ${theirs.toUpperCase()}.`,
  hint: 'Set the same currency on both sides: amounts are not converted.',
})

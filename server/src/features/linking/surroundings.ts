import type { Offer, Provider } from '#outside/pms/pms.ts'
import type { PreflightProblem } from './preflight.ts'
import type { Linked, Use } from './queries.ts'

export type Found = Omit<PreflightProblem, 'channel_listing_id'>

/** What a listing is judged by. */
export interface Surroundings {
  readonly provider: Provider
  /** What the PMS has, by external id; null when it could not be asked. */
  readonly rooms: ReadonlyMap<string, Offer> | null
  readonly plans: ReadonlyMap<string, { readonly room: Offer; readonly plan: Offer['rate_plans'][number] }>
  /** The listings that use a room or a plan of the property, whatever target they go through. */
  readonly usersOfRooms: ReadonlyMap<string | null, readonly Use[]>
  readonly usersOfPlans: ReadonlyMap<string, readonly Use[]>
}

export function surroundingsOf(
  provider: Provider,
  offers: readonly Offer[] | null,
  uses: readonly Use[],
): Surroundings {
  const plans = (offers ?? []).flatMap((room) =>
    room.rate_plans.map((plan) => [plan.external_id, { room, plan }] as const),
  )
  const mapped = uses.flatMap((use) => use.rate_plans.map(({ external_id }) => ({ external_id, use })))
  const usersOfPlans = new Map<string, Use[]>()
  for (const [id, users] of Map.groupBy(mapped, ({ external_id }) => external_id))
    usersOfPlans.set(
      id,
      users.map(({ use }) => use),
    )
  return {
    provider,
    rooms: offers && new Map(offers.map((offer) => [offer.external_id, offer])),
    plans: new Map(plans),
    usersOfRooms: Map.groupBy(uses, ({ external_id }) => external_id),
    usersOfPlans,
  }
}

export const otherUser = (users: readonly Use[] | undefined, { id }: Linked) =>
  users?.find((use) => use.id !== id)

export const otherCurrency = (field: string, ours: string, name: string, theirs: string): Found => ({
  severity: 'error',
  code: 'currency_differs',
  field,
  message: `The prices of the unit are in ${ours.toUpperCase()}, those of ${name} at the PMS in ${theirs.toUpperCase()}.`,
  hint: 'Set the same currency on both sides: amounts are not converted.',
})

import type { LinkedListing } from './queries.ts'
import {
  currencyProblem,
  findOtherMapping,
  type ListingProblem,
  type PreflightContext,
} from './preflight-context.ts'

/** Lists the problems of the rate plans that a listing maps. */
export function checkPlans(listing: LinkedListing, context: PreflightContext): ListingProblem[] {
  const { rate_plans } = listing
  const { provider } = context
  if (!provider.hasPlans)
    return rate_plans.length === 0
      ? []
      : [
          {
            severity: 'warning',
            code: 'plans_not_known',
            field: 'rate_plans',
            message: 'The PMS has no rate plans: only the default plan is pushed.',
            hint: 'Remove rate_plans from the listing.',
          },
        ]
  return [
    ...missingPlanProblems(listing, context),
    ...unlinkedPlanProblems(listing),
    ...rate_plans.flatMap((plan, at) => [
      ...duplicatePlanProblems(listing, plan.external_id, at, context),
      ...planProblems(listing, plan.external_id, at, context),
    ]),
  ]
}

/** Rate plans other than the default one that the listing does not map: their changes are not pushed. */
const unlinkedPlanProblems = ({ external_id, rate_plans, plans }: LinkedListing): ListingProblem[] =>
  external_id === null
    ? []
    : plans
        .filter(
          (plan) => !plan.is_default && !rate_plans.some(({ rate_plan_id }) => rate_plan_id === plan.id),
        )
        .map(({ name }) => ({
          severity: 'warning',
          code: 'plan_not_linked',
          field: 'rate_plans',
          message: `The rate plan ${name} is not linked: its prices and restrictions are not pushed.`,
          hint: 'Map it in rate_plans, or archive it if it is not sold there.',
        }))

/** Where rooms have no prices of their own, a rate plan that is not mapped is not pushed. */
function missingPlanProblems(
  { external_id, rate_plans, plans }: LinkedListing,
  { provider }: PreflightContext,
): ListingProblem[] {
  if (provider.roomHasTerms || external_id === null) return []
  const isMapped = ({ id }: { id: string }) => rate_plans.some(({ rate_plan_id }) => rate_plan_id === id)
  const defaultPlan = plans.find(({ is_default }) => is_default)
  if (plans.some(isMapped) && (!defaultPlan || isMapped(defaultPlan))) return []
  const isNoneMapped = !plans.some(isMapped)
  return [
    {
      severity: isNoneMapped ? 'error' : 'warning',
      code: 'default_plan_unmapped',
      field: 'rate_plans',
      message: isNoneMapped
        ? 'No rate plan of the unit is mapped, so no prices are pushed.'
        : `The default plan ${defaultPlan!.name} is not mapped, so its prices are not pushed.`,
      hint: 'Map it in rate_plans; the offers of the channel target list the rate plans at the PMS.',
    },
  ]
}

function duplicatePlanProblems(
  listing: LinkedListing,
  planId: string,
  at: number,
  { mappingsByPlan: usersOfPlans }: PreflightContext,
): ListingProblem[] {
  const other = findOtherMapping(usersOfPlans.get(planId), listing)
  if (!other) return []
  return [
    {
      severity: 'error',
      code: 'plan_used_twice',
      field: `rate_plans.${at}.external_id`,
      message: `The listing ${other.id} maps the same rate plan of the PMS.`,
      hint: 'Map each rate plan of the PMS once.',
    },
  ]
}

function planProblems(
  { external_id, unit }: LinkedListing,
  planId: string,
  at: number,
  { provider, rooms, plans }: PreflightContext,
): ListingProblem[] {
  if (!rooms || external_id === null || provider.acceptsOurIds) return []
  const field = `rate_plans.${at}.external_id`
  const offered = plans.get(planId)
  if (!offered)
    return [
      {
        severity: 'error',
        code: 'plan_unknown',
        field,
        message: `The PMS has no rate plan with the id ${planId}.`,
        hint: 'Choose one of the rate plans in the offers of the channel target.',
      },
    ]
  const { room, plan } = offered
  const problems: ListingProblem[] = []
  if (room.external_id !== external_id)
    problems.push({
      severity: 'error',
      code: 'plan_of_another_room',
      field,
      message: `The rate plan ${plan.name} belongs to ${room.name} at the PMS, not to the room of this listing.`,
      hint: 'Map a rate plan of the same room.',
    })
  if (plan.currency !== null && plan.currency !== unit.currency)
    problems.push(currencyProblem(field, unit.currency, plan.name, plan.currency))
  if (plan.hasPricesByGuests)
    problems.push({
      severity: 'warning',
      code: 'prices_by_guests',
      field,
      message: `The rate plan ${plan.name} has a price for each number of guests at the PMS: only the main one is pushed.`,
      hint: 'Let the PMS derive the other prices from the main one, or map a rate plan with one price for the room.',
    })
  return problems
}

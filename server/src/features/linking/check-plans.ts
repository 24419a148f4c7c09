import type { Linked } from './queries.ts'
import { otherCurrency, otherUser, type Found, type Surroundings } from './surroundings.ts'

/** What is wrong with the rate plans that a listing maps. */
export function checkPlans(listing: Linked, surroundings: Surroundings): Found[] {
  const { rate_plans } = listing
  const { provider } = surroundings
  if (!provider.hasPlans)
    return rate_plans.length === 0
      ? []
      : [
          {
            severity: 'warning',
            code: 'plans_not_known',
            field: 'rate_plans',
            message: 'The PMS knows no rate plans of a room: only the default plan is told.',
            hint: 'Take rate_plans out of the listing.',
          },
        ]
  return [
    ...ofMissing(listing, surroundings),
    ...ofUnlinked(listing),
    ...rate_plans.flatMap((plan, at) => [
      ...ofUses(listing, plan.external_id, at, surroundings),
      ...ofPlan(listing, plan.external_id, at, surroundings),
    ]),
  ]
}

/** Plans beside the default one that the listing does not link: whatever is changed of them, the PMS is not told. */
const ofUnlinked = ({ external_id, rate_plans, plans }: Linked): Found[] =>
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
          hint: 'Name the rate plan at the PMS in rate_plans, or archive the plan if it is not sold there.',
        }))

/** Where rooms have no prices of their own, a plan that is not mapped is not told. */
function ofMissing({ external_id, rate_plans, plans }: Linked, { provider }: Surroundings): Found[] {
  if (provider.roomHasTerms || external_id === null) return []
  const isMapped = ({ id }: { id: string }) => rate_plans.some(({ rate_plan_id }) => rate_plan_id === id)
  const standard = plans.find(({ is_default }) => is_default)
  if (plans.some(isMapped) && (!standard || isMapped(standard))) return []
  const noneIs = !plans.some(isMapped)
  return [
    {
      severity: noneIs ? 'error' : 'warning',
      code: 'default_plan_unmapped',
      field: 'rate_plans',
      message: noneIs
        ? 'No rate plan of the unit is mapped: the PMS is told of rooms, but of no prices.'
        : `The default plan ${standard!.name} is not mapped: its prices are not told.`,
      hint: 'Name the rate plan at the PMS in rate_plans; the offers of the channel target list them.',
    },
  ]
}

function ofUses(listing: Linked, planId: string, at: number, { usersOfPlans }: Surroundings): Found[] {
  const other = otherUser(usersOfPlans.get(planId), listing)
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

function ofPlan(
  { external_id, unit }: Linked,
  planId: string,
  at: number,
  { provider, rooms, plans }: Surroundings,
): Found[] {
  if (!rooms || external_id === null || provider.namesAreOurs) return []
  const field = `rate_plans.${at}.external_id`
  const known = plans.get(planId)
  if (!known)
    return [
      {
        severity: 'error',
        code: 'plan_unknown',
        field,
        message: `The PMS has no rate plan with the id ${planId}.`,
        hint: 'Choose one of the rate plans that the offers of the channel target list.',
      },
    ]
  const { room, plan } = known
  const found: Found[] = []
  if (room.external_id !== external_id)
    found.push({
      severity: 'error',
      code: 'plan_of_another_room',
      field,
      message: `The rate plan ${plan.name} belongs to ${room.name} at the PMS, not to the room of this listing.`,
      hint: 'Map a rate plan of the same room.',
    })
  if (plan.currency !== null && plan.currency !== unit.currency)
    found.push(otherCurrency(field, unit.currency, plan.name, plan.currency))
  return found
}

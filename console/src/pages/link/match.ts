import type { contract } from '@vacancy/client'

export type Offer = contract.Offer
export type RatePlan = contract.RatePlan

/** What is known of a unit when it is matched. */
export interface Candidate {
  id: string
  name: string
  max_guests: number
  status: string
}

/** One line of the wizard: a room of the PMS with the unit that it is, or a unit that is created there. */
export interface Match {
  /** The external id of the room; `new <unit id>` for a unit that the PMS does not have. */
  id: string
  offer: Offer | null
  unitId: string | null
  isIncluded: boolean
  /** The plan at the PMS for each of our plans; a missing one is not linked. */
  plans: Record<string, string>
}

/** Below this likeness a suggestion is shown, but not selected. */
const minConfidence = 0.6

/** Each room with the unit that it most likely is, of those that can be linked: the best pair first, and every unit once. */
export const suggestMatches = (offers: readonly Offer[], linkable: ReadonlyMap<string, unknown>): Match[] => {
  const pairs = offers
    .filter(({ channel_listing_id }) => channel_listing_id === null)
    .flatMap((offer) => offer.matches.map((match) => ({ offer, ...match })))
    .toSorted((a, b) => b.score - a.score)
  const chosen = new Map<string, { unitId: string; score: number }>()
  const taken = new Set<string>()
  for (const { offer, unit_id, score } of pairs) {
    if (!linkable.has(unit_id) || taken.has(unit_id) || chosen.has(offer.external_id)) continue
    chosen.set(offer.external_id, { unitId: unit_id, score })
    taken.add(unit_id)
  }
  return offers
    .filter(({ channel_listing_id }) => channel_listing_id === null)
    .map((offer) => {
      const suggestion = chosen.get(offer.external_id)
      return {
        id: offer.external_id,
        offer,
        unitId: suggestion?.unitId ?? null,
        isIncluded: (suggestion?.score ?? 0) >= minConfidence && !isTied(offer, linkable),
        plans: {},
      }
    })
}

/** Whether another unit is as likely as the first one. */
export const isTied = ({ matches }: Offer, linkable: ReadonlyMap<string, unknown>): boolean => {
  const [first, second] = matches.filter(({ unit_id }) => linkable.has(unit_id)).map(({ score }) => score)
  return second !== undefined && first === second
}

/** The suggestions as somebody changed them, except for units that can no longer be linked. */
export const applyEdits = (
  suggested: readonly Match[],
  edited: readonly Match[],
  linkable: ReadonlyMap<string, unknown>,
): Match[] => {
  const kept = edited.filter(({ unitId }) => unitId === null || linkable.has(unitId))
  const byId = new Map(kept.map((match) => [match.id, match]))
  return [...suggested.map((match) => byId.get(match.id) ?? match), ...kept.filter(({ offer }) => !offer)]
}

/** Gives a room another unit; the room that had it before loses it. */
export const assignUnit = (matches: readonly Match[], id: string, unitId: string | null): Match[] =>
  matches.map((match) => {
    if (match.id === id) return { ...match, unitId, isIncluded: unitId !== null, plans: {} }
    if (unitId !== null && match.offer && match.unitId === unitId)
      return { ...match, unitId: null, isIncluded: false, plans: {} }
    return match
  })

/** The name of each unit, with its space where several units have that name. */
export const labelUnits = (
  units: readonly { id: string; name: string; space: { name: string } }[],
): ReadonlyMap<string, string> => {
  const byName = Map.groupBy(units, ({ name }) => name)
  return new Map(
    units.map(({ id, name, space }) => [
      id,
      (byName.get(name)?.length ?? 0) > 1 ? `${name} · ${space.name}` : name,
    ]),
  )
}

const plain = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

const standardNames = /standard|flex|default|best|bar|base|normal/

/**
 * The plan at the PMS for each of our plans: the one with the same name, else for the default plan what sounds like a
 * standard one. Each plan there is used once.
 */
export const suggestPlans = (
  plans: readonly RatePlan[],
  offer: Offer | null,
  has: { roomHasTerms: boolean; acceptsOurIds: boolean },
): Record<string, string> => {
  const mapping: Record<string, string> = {}
  const free = new Set(offer?.rate_plans ?? [])
  for (const plan of plans) {
    const same = [...free].find(({ name }) => plain(name) === plain(plan.name))
    if (same) free.delete(same)
    const id = same?.external_id ?? (has.acceptsOurIds && !plan.is_default ? planIdFor(plan, offer) : null)
    if (id) mapping[plan.id] = id
  }
  const standard = plans.find(({ is_default }) => is_default)
  if (!standard || mapping[standard.id] || has.roomHasTerms) return mapping
  const likely = [...free].find(({ name }) => standardNames.test(plain(name))) ?? [...free][0]
  return likely ? { ...mapping, [standard.id]: likely.external_id } : mapping
}

/**
 * An id for a plan that the PMS creates with the first push, such as `r-12-non-refundable`: no two units of a channel may
 * share one.
 */
export const planIdFor = ({ id, name, unit_id }: RatePlan, offer: Offer | null): string =>
  // A name in another alphabet would leave nothing that tells plans apart.
  `${offer?.external_id ?? unit_id} ${/(?!\p{Script=Latin})\p{L}/u.test(name) ? id : name}`
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 120)

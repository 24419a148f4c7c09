import type { Provider } from '#integrations/pms/pms-provider.ts'
import { checkPlans } from './check-plans.ts'
import type { PreflightProblem } from './preflight.ts'
import type { LinkedListing } from './queries.ts'
import {
  currencyProblem,
  findOtherMapping,
  type ListingProblem,
  type PreflightContext,
} from './preflight-context.ts'

/** Lists all problems of one listing. */
export function checkListing(listing: LinkedListing, context: PreflightContext): PreflightProblem[] {
  const problems = [
    ...statusProblems(listing),
    ...duplicateRoomProblems(listing, context),
    ...roomProblems(listing, context),
    ...checkPlans(listing, context),
  ]
  return problems.map((problem) => ({ ...problem, channel_listing_id: listing.id }))
}

function statusProblems({ status, unit, space }: LinkedListing): ListingProblem[] {
  const problems: ListingProblem[] = []
  if (status === 'paused')
    problems.push({
      severity: 'warning',
      code: 'listing_paused',
      field: 'status',
      message: 'The listing is paused, so nothing is pushed.',
      hint: 'Resume it when it is ready.',
    })
  for (const [kind, field, name, current] of [
    ['unit', 'unit.status', unit.name, unit.status],
    ['space', 'unit.space.status', space.name, space.status],
  ] as const)
    if (current !== 'active')
      problems.push({
        severity: current === 'archived' ? 'error' : 'warning',
        code: current === 'archived' ? `${kind}_archived` : `${kind}_not_active`,
        field,
        message: `The ${kind} ${name} is ${current}, so it cannot be sold.`,
        hint: current === 'archived' ? 'Unlink the unit.' : `Set the ${kind} to active to sell it.`,
      })
  if (unit.base_price_cents === 0)
    problems.push({
      severity: 'error',
      code: 'no_base_price',
      field: 'unit.base_price_cents',
      message: `The base price of ${unit.name} is 0, so nights without a price of their own are sold for free.`,
      hint: 'Set a base price for the unit.',
    })
  return problems
}

/** Two listings that map one room would sell it twice. */
function duplicateRoomProblems(
  listing: LinkedListing,
  { mappingsByRoom: usersOfRooms }: PreflightContext,
): ListingProblem[] {
  const { external_id } = listing
  const other = external_id !== null && findOtherMapping(usersOfRooms.get(external_id), listing)
  if (!other) return []
  return [
    {
      severity: 'error',
      code: 'external_id_used_twice',
      field: 'external_id',
      message: `The listing ${other.id} maps the same room at the PMS.`,
      hint: 'Delete one of the two listings, or link it to another room.',
    },
  ]
}

/** Compares the room at the PMS with the unit. A room that the first push creates will match the unit. */
function roomProblems(
  { external_id, unit }: LinkedListing,
  { provider, rooms }: PreflightContext,
): ListingProblem[] {
  if (external_id === null || !rooms) return []
  const room = rooms.get(external_id)
  if (!room) return [unknownRoomProblem(external_id, provider)]
  const problems: ListingProblem[] = []
  if (!room.active && !provider.contentFields.includes('open'))
    problems.push({
      severity: 'error',
      code: 'room_not_active',
      field: 'external_id',
      message: `${room.name} is not active at the PMS, so it is not sold there.`,
      hint: 'Activate it at the PMS, or link the unit to another room.',
    })
  for (const [member, noun] of [
    ['max_guests', 'guests'],
    ['quantity', 'rooms'],
  ] as const) {
    const theirs = room[member]
    if (theirs === null || theirs === unit[member]) continue
    problems.push({
      severity: 'warning',
      code: `${member}_differs`,
      field: `unit.${member}`,
      message: `${unit.name} has ${unit[member]} ${noun} here, ${room.name} has ${theirs} at the PMS.`,
      hint: provider.contentFields.includes(member)
        ? 'Check that it is the right room: the next push overwrites the number at the PMS with ours.'
        : 'Check that it is the right room, and correct the number on one side: a push does not change it.',
    })
  }
  if (room.currency !== null && room.currency !== unit.currency)
    problems.push(currencyProblem('unit.currency', unit.currency, room.name, room.currency))
  return problems
}

const unknownRoomProblem = (externalId: string, { acceptsOurIds }: Provider): ListingProblem =>
  acceptsOurIds
    ? {
        severity: 'warning',
        code: 'external_id_unknown',
        field: 'external_id',
        message: `The PMS has no room with the id ${externalId} yet.`,
        hint: 'The first push creates it there. If it should exist already, correct the external_id.',
      }
    : {
        severity: 'error',
        code: 'external_id_unknown',
        field: 'external_id',
        message: `The PMS has no room with the id ${externalId}.`,
        hint: 'Choose one of the offers of the channel target, or send "create": true to create the room.',
      }

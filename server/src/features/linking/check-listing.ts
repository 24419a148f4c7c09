import type { Provider } from '#outside/pms/pms.ts'
import { checkPlans } from './check-plans.ts'
import type { PreflightProblem } from './preflight.ts'
import type { Linked } from './queries.ts'
import { otherCurrency, otherUser, type Found, type Surroundings } from './surroundings.ts'

/** Everything that is wrong with one listing. */
export function checkListing(listing: Linked, surroundings: Surroundings): PreflightProblem[] {
  const found = [
    ...ofOurs(listing),
    ...ofUses(listing, surroundings),
    ...ofRoom(listing, surroundings),
    ...checkPlans(listing, surroundings),
  ]
  return found.map((problem) => ({ ...problem, channel_listing_id: listing.id }))
}

function ofOurs({ status, unit, space }: Linked): Found[] {
  const found: Found[] = []
  if (status === 'paused')
    found.push({
      severity: 'warning',
      code: 'listing_paused',
      field: 'status',
      message: 'The listing is paused: nothing is pushed.',
      hint: 'Resume it when it is right.',
    })
  for (const [thing, field, name, its] of [
    ['unit', 'unit.status', unit.name, unit.status],
    ['space', 'unit.space.status', space.name, space.status],
  ] as const)
    if (its !== 'active')
      found.push({
        severity: its === 'archived' ? 'error' : 'warning',
        code: its === 'archived' ? `${thing}_archived` : `${thing}_not_active`,
        field,
        message: `The ${thing} ${name} is ${its}: nothing of it can be sold.`,
        hint: its === 'archived' ? 'Unlink the unit.' : `Set the ${thing} to active when it is to be sold.`,
      })
  if (unit.base_price_cents === 0)
    found.push({
      severity: 'error',
      code: 'no_base_price',
      field: 'unit.base_price_cents',
      message: `The base price of ${unit.name} is 0: nights without a price of their own are sold for nothing.`,
      hint: 'Give the unit a base price.',
    })
  return found
}

/** Two listings on one room would sell it twice. */
function ofUses(listing: Linked, { usersOfRooms }: Surroundings): Found[] {
  const { external_id } = listing
  const other = external_id !== null && otherUser(usersOfRooms.get(external_id), listing)
  if (!other) return []
  return [
    {
      severity: 'error',
      code: 'external_id_used_twice',
      field: 'external_id',
      message: `The listing ${other.id} leads to the same room at the PMS.`,
      hint: 'Unlink one of the two, or link it to another room.',
    },
  ]
}

/** The room at the PMS against the unit. One that is yet to be made there will be as the unit is. */
function ofRoom({ external_id, unit }: Linked, { provider, rooms }: Surroundings): Found[] {
  if (external_id === null || !rooms) return []
  const room = rooms.get(external_id)
  if (!room) return [unknownRoom(external_id, provider)]
  const found: Found[] = []
  if (!room.active && !provider.content.includes('open'))
    found.push({
      severity: 'error',
      code: 'room_not_active',
      field: 'external_id',
      message: `${room.name} is not active at the PMS: it is not sold there, whatever is pushed.`,
      hint: 'Activate it at the PMS, or link the unit to another room.',
    })
  for (const [member, words] of [
    ['max_guests', 'guests'],
    ['quantity', 'rooms'],
  ] as const) {
    const theirs = room[member]
    if (theirs === null || theirs === unit[member]) continue
    found.push({
      severity: 'warning',
      code: `${member}_differs`,
      field: `unit.${member}`,
      message: `${unit.name} is for ${unit[member]} ${words} here, ${room.name} for ${theirs} at the PMS.`,
      hint: provider.content.includes(member)
        ? 'Look whether it is the right room: a push changes the number at the PMS to ours.'
        : 'Look whether it is the right room, and correct the number on one side: a push does not.',
    })
  }
  if (room.currency !== null && room.currency !== unit.currency)
    found.push(otherCurrency('unit.currency', unit.currency, room.name, room.currency))
  return found
}

const unknownRoom = (externalId: string, { namesAreOurs }: Provider): Found =>
  namesAreOurs
    ? {
        severity: 'warning',
        code: 'external_id_unknown',
        field: 'external_id',
        message: `The PMS has no room with the id ${externalId} yet.`,
        hint: 'The first push makes it there. If it should exist already, correct the external_id.',
      }
    : {
        severity: 'error',
        code: 'external_id_unknown',
        field: 'external_id',
        message: `The PMS has no room with the id ${externalId}.`,
        hint: 'Choose one of the offers of the channel target, or have the room made with "create": true.',
      }

import type { Call } from '../pms-call.ts'
import type { Draft, UnitLink } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Ask } from './conversation.ts'
import { isArchived, membersOf, type Listing } from './listing.ts'
import type { Listings } from './listings.ts'

/**
 * Makes a listing once. Hostaway knows no idempotency: what an earlier attempt made, and whose answer was lost, bears
 * the name and belongs to nobody yet. @throws PmsFailure
 */
export async function create(ask: Ask, listings: Listings, draft: Draft, call: Call): Promise<UnitLink> {
  const { content, plans } = draft
  if (content.quantity > 1)
    throw new PmsFailure('validation_rejected', 'Hostaway makes listings of several units only by hand.', {
      hint: `Make a multi-unit listing with ${content.quantity} units at Hostaway, and link the unit to it.`,
    })
  const listing = (await earlier(listings, draft, call)) ?? (await added(ask, listings, draft, call))
  const plan = plans.find(({ isDefault }) => isDefault) ?? plans[0]
  return { externalId: String(listing.id), plans: plan ? [{ plan: plan.plan, externalId: null }] : [] }
}

async function earlier(listings: Listings, { content, taken }: Draft, call: Call): Promise<Listing | null> {
  const found: Listing[] = []
  for await (const page of listings.pages(call, content.name))
    found.push(
      ...page.listings.filter(
        (one) => one['name'] === content.name && !isArchived(one) && !taken.includes(String(one.id)),
      ),
    )
  return found.sort((one, other) => other.id - one.id)[0] ?? null
}

async function added(ask: Ask, listings: Listings, { content }: Draft, call: Call): Promise<Listing> {
  const body = Object.fromEntries(
    Object.entries(membersOf(content, 'whole')).filter(([, value]) => value !== ''),
  )
  return listings.confirmed(await ask({ method: 'POST', path: '/listings', body }, call))
}

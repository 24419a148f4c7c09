import type { CallContext } from '../pms-call.ts'
import type { NewUnit, UnitLink } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Send } from './hostaway-api.ts'
import { isArchived, listingFields, type Listing } from './listing.ts'
import type { Listings } from './listings.ts'

/**
 * Creates a listing once. Hostaway has no idempotency keys, so a listing of the same name that is not linked yet counts
 * as the one that an earlier attempt created. @throws PmsFailure
 */
export async function createUnit(
  send: Send,
  listings: Listings,
  unit: NewUnit,
  call: CallContext,
): Promise<UnitLink> {
  const { content, plans } = unit
  if (content.quantity > 1)
    throw new PmsFailure(
      'validation_rejected',
      'Hostaway does not let us create listings with several units.',
      {
        hint: `Create a multi-unit listing with ${content.quantity} units at Hostaway, and link the unit to it.`,
      },
    )
  const listing = (await findExisting(listings, unit, call)) ?? (await create(send, listings, unit, call))
  const plan = plans.find(({ isDefault }) => isDefault) ?? plans[0]
  return { externalId: String(listing.id), plans: plan ? [{ plan: plan.plan, externalId: null }] : [] }
}

/** The newest listing of the name that is not linked. */
async function findExisting(
  listings: Listings,
  { content, linkedIds }: NewUnit,
  call: CallContext,
): Promise<Listing | null> {
  const candidates: Listing[] = []
  for await (const page of listings.pages(call, content.name))
    candidates.push(
      ...page.listings.filter(
        (listing) =>
          listing['name'] === content.name && !isArchived(listing) && !linkedIds.includes(String(listing.id)),
      ),
    )
  return candidates.sort((a, b) => b.id - a.id)[0] ?? null
}

async function create(
  send: Send,
  listings: Listings,
  { content }: NewUnit,
  call: CallContext,
): Promise<Listing> {
  const fields = Object.entries(listingFields(content, 'all')).filter(([, value]) => value !== '')
  const body = Object.fromEntries(fields)
  return listings.parse(await send({ method: 'POST', path: '/listings', body }, call))
}

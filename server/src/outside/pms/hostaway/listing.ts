import type { Offer, UnitContent } from '../pms.ts'
import { isCurrency, toMajorUnits, toMinorUnits } from './amounts.ts'

/** A listing as Hostaway shows it. */
export type Listing = Readonly<Record<string, unknown>> & { readonly id: number }

/** The members of our content that a listing holds. */
export const heldContent = [
  'name',
  'bedrooms',
  'bathrooms',
  'max_guests',
  'base_price_cents',
  'currency',
  'space',
] as const satisfies readonly (keyof UnitContent)[]

export function isListing(value: unknown): value is Listing {
  return typeof value === 'object' && value !== null && Number.isSafeInteger((value as { id?: unknown }).id)
}

/** What to say so that the listing shows these members of the content; those that it cannot hold are left out. */
export function membersOf(
  content: UnitContent,
  differing: 'whole' | readonly (keyof UnitContent)[],
): Record<string, unknown> {
  const differs = (name: keyof UnitContent) => differing === 'whole' || differing.includes(name)
  const { space } = content
  return {
    ...(differs('name') && { name: content.name }),
    ...(differs('bedrooms') && { bedroomsNumber: content.bedrooms }),
    ...(differs('bathrooms') && { bathroomsNumber: content.bathrooms }),
    ...(differs('max_guests') && { personCapacity: content.max_guests }),
    // In another currency the same amount is another number.
    ...((differs('base_price_cents') || differs('currency')) && {
      price: toMajorUnits(content.base_price_cents, content.currency),
    }),
    ...(differs('currency') && { currencyCode: content.currency.toUpperCase() }),
    ...(differs('space') && {
      // For Hostaway, null leaves a text as it was, and an empty text takes it away.
      address: space.address ?? '',
      city: space.city ?? '',
      state: space.state ?? '',
      zipcode: space.zip ?? '',
      description: space.description ?? '',
      ...(space.country !== null && { countryCode: space.country }),
      timeZoneName: space.timezone,
    }),
  }
}

/** The members that were sent and are not there: Hostaway passes over in silence what it does not take. */
export function notTaken(sent: Readonly<Record<string, unknown>>, listing: Listing): string[] {
  return Object.keys(sent).filter((name) => !areAlike(sent[name], listing[name]))
}

/** What the listing shows of our content; what it has no word for is left out. */
export function contentOf(listing: Listing): Partial<UnitContent> {
  const { name, bedroomsNumber, bathroomsNumber, personCapacity, currencyCode, price } = listing
  const basePriceCents = toMinorUnits(price, currencyCode)
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof bedroomsNumber === 'number' && { bedrooms: bedroomsNumber }),
    ...(typeof bathroomsNumber === 'number' && { bathrooms: bathroomsNumber }),
    ...(typeof personCapacity === 'number' && { max_guests: personCapacity }),
    ...(basePriceCents !== null && { base_price_cents: basePriceCents }),
    ...(isCurrency(currencyCode) && { currency: currencyCode.toLowerCase() }),
    space: spaceOf(listing) as UnitContent['space'],
  }
}

/** A country that we do not know is left as it is, so that it is no difference either. */
function spaceOf({ address, city, state, zipcode, description, timeZoneName }: Listing) {
  const text = (value: unknown) => textOf(value) || null
  return {
    address: text(address),
    city: text(city),
    state: text(state),
    zip: text(zipcode),
    description: text(description),
    ...(typeof timeZoneName === 'string' && { timezone: timeZoneName }),
  }
}

export function offerOf(listing: Listing): Offer {
  const { id, name, internalListingName, personCapacity, currencyCode } = listing
  const names = [name, internalListingName].filter((one) => typeof one === 'string' && one !== '') as string[]
  return {
    external_id: String(id),
    name: names[0] ?? String(id),
    max_guests: typeof personCapacity === 'number' ? personCapacity : null,
    quantity: unitCount(listing) ?? 1,
    currency: isCurrency(currencyCode) ? currencyCode.toLowerCase() : null,
    active: !isArchived(listing),
    rate_plans: [],
  }
}

/** How many equal units stand behind a multi-unit listing; null when it is a single one. */
export function unitCount({ listingUnits }: Listing): number | null {
  return Array.isArray(listingUnits) && listingUnits.length > 0 ? listingUnits.length : null
}

export const isArchived = ({ specialStatus }: Listing): boolean => specialStatus === 'archived'

/** An amount may come back as text, and a text without the blanks at its ends. */
function areAlike(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'number') return shown !== null && shown !== '' && Number(shown) === sent
  return textOf(sent) === textOf(shown)
}

/** Nothing and an empty text are the same; null for what is no text. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : null
}

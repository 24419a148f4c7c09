import { fromMajorUnits, isCurrencyCode, toMajorUnits } from '../pms-amounts.ts'
import type { Offer } from '../pms.ts'
import type { UnitContent } from '../pms-content.ts'

export type Listing = Readonly<Record<string, unknown>> & { readonly id: number }

/** The content fields that a listing holds. */
export const contentFields = [
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

/** The fields of a listing for these fields of the content; those that a listing does not hold are left out. */
export function listingFields(
  content: UnitContent,
  changedFields: 'all' | readonly (keyof UnitContent)[],
): Record<string, unknown> {
  const isChanged = (name: keyof UnitContent) => changedFields === 'all' || changedFields.includes(name)
  const { space } = content
  return {
    ...(isChanged('name') && { name: content.name }),
    ...(isChanged('bedrooms') && { bedroomsNumber: content.bedrooms }),
    ...(isChanged('bathrooms') && { bathroomsNumber: content.bathrooms }),
    ...(isChanged('max_guests') && { personCapacity: content.max_guests }),
    // In another currency the same amount is another number.
    ...((isChanged('base_price_cents') || isChanged('currency')) && {
      price: toMajorUnits(content.base_price_cents, content.currency),
    }),
    ...(isChanged('currency') && { currencyCode: content.currency.toUpperCase() }),
    ...(isChanged('space') && {
      // Hostaway keeps a text when it gets null, and removes it when it gets an empty text.
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

/** The names of sent fields that the listing does not show: Hostaway ignores some values without an error. */
export function ignoredFields(sent: Readonly<Record<string, unknown>>, listing: Listing): string[] {
  return Object.keys(sent).filter((name) => !isEquivalent(sent[name], listing[name]))
}

/** The content of the listing; fields that it does not hold are left out. */
export function parseContent(listing: Listing): Partial<UnitContent> {
  const { name, bedroomsNumber, bathroomsNumber, personCapacity, currencyCode, price } = listing
  const basePriceCents = fromMajorUnits(price, currencyCode)
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof bedroomsNumber === 'number' && { bedrooms: bedroomsNumber }),
    ...(typeof bathroomsNumber === 'number' && { bathrooms: bathroomsNumber }),
    ...(typeof personCapacity === 'number' && { max_guests: personCapacity }),
    ...(basePriceCents !== null && { base_price_cents: basePriceCents }),
    ...(isCurrencyCode(currencyCode) && { currency: currencyCode.toLowerCase() }),
    space: parseSpace(listing) as UnitContent['space'],
  }
}

/** Without the country: a space here may have none, and then Hostaway keeps its own. */
function parseSpace({ address, city, state, zipcode, description, timeZoneName }: Listing) {
  const text = (value: unknown) => normalizeText(value) || null
  return {
    address: text(address),
    city: text(city),
    state: text(state),
    zip: text(zipcode),
    description: text(description),
    ...(typeof timeZoneName === 'string' && { timezone: timeZoneName }),
  }
}

export function toOffer(listing: Listing): Offer {
  const { id, name, internalListingName, personCapacity, currencyCode } = listing
  const names = [name, internalListingName].filter(
    (text) => typeof text === 'string' && text !== '',
  ) as string[]
  return {
    external_id: String(id),
    name: names[0] ?? String(id),
    max_guests: typeof personCapacity === 'number' ? personCapacity : null,
    quantity: unitCount(listing) ?? 1,
    currency: isCurrencyCode(currencyCode) ? currencyCode.toLowerCase() : null,
    active: !isArchived(listing),
    rate_plans: [],
  }
}

/** The number of units of a multi-unit listing; null for a listing with one unit. */
export function unitCount({ listingUnits }: Listing): number | null {
  return Array.isArray(listingUnits) && listingUnits.length > 0 ? listingUnits.length : null
}

export const isArchived = ({ specialStatus }: Listing): boolean => specialStatus === 'archived'

/** Hostaway may return a number as text, and a text without the spaces at its ends. */
function isEquivalent(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'number') return shown !== null && shown !== '' && Number(shown) === sent
  return normalizeText(sent) === normalizeText(shown)
}

/** Null and undefined become the empty text; null stands for a value of another type. */
function normalizeText(value: unknown): string | null {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : null
}

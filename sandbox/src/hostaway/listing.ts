import { Fail } from './envelope.ts'
import { amount, float, integer, oneOf, readFields, text, type Checks, type Values } from './fields.ts'

export type Image = { id: number; url: string; caption: string | null; sortOrder: number; readyAtMs: number }

/** A row of `listingAmenities` or `listingBedTypes`. */
export type Row = { id: number } & Values

export type Listing = {
  id: number
  accountId: number
  /** How many equal units stand behind a multi-unit listing; null for a single one. */
  units: number | null
  /** `archived` protects a listing from every write. */
  specialStatus: 'archived' | null
  insertedOn: string
  updatedOn: string
  fields: Values
  listingImages: Image[]
  listingAmenities: Row[]
  listingBedTypes: Row[]
}

const policies = ['flexible', 'moderate', 'firm', 'strict', 'no_refund']

/** The members that create and update set; whatever else is sent is passed over without a word. */
const settable: Checks = {
  ...named('propertyTypeId personCapacity bedroomsNumber bedsNumber guestBathroomsNumber', integer),
  ...named('minNights maxNights guestsIncluded checkInTimeStart checkInTimeEnd checkOutTime', integer),
  ...named('maxChildrenAllowed maxInfantsAllowed maxPetsAllowed instantBookable', integer),
  ...named('bathroomsNumber squareMeters lat lng starRating', float),
  ...named('price cleaningFee priceForExtraPerson refundableDamageDeposit', amount),
  ...named('name externalListingName internalListingName description houseRules thumbnailUrl', text),
  ...named('keyPickup specialInstruction doorSecurityCode wifiUsername wifiPassword', text),
  ...named('countryCode state city street address publicAddress zipcode', text),
  ...named('currencyCode timeZoneName language roomType bathroomType', text),
  ...named('contactName contactSurName contactPhone1 contactEmail', text),
  cancellationPolicy: oneOf(...policies),
}

export function readListing(body: unknown): Values {
  return readFields(body, settable, (name, { kind }) => {
    const value = String((body as Values)[name])
    const label = name === 'cancellationPolicy' ? 'Cancellation policy' : name
    const expected =
      name === 'cancellationPolicy' ? `allowed values: ${policies.join(', ')}` : `it must be ${kind}`
    const fault = `Value '${value}' for field '${label}' is invalid, ${expected}`
    return new Fail(400, `Listing error: ${name}: ${fault}`, 'message')
  })
}

/** The listing as it is read. Images appear when the vendor has fetched them. */
export function shownListing(listing: Listing, nowMs: number, withResources: boolean) {
  const { id, units, specialStatus, insertedOn, updatedOn, fields } = listing
  const shown = {
    id,
    ...Object.fromEntries(Object.keys(settable).map((name) => [name, null])),
    ...fields,
    country: countryOf(fields['countryCode']),
    specialStatus,
    insertedOn,
    updatedOn,
  }
  if (!withResources) return shown
  return {
    ...shown,
    listingAmenities: listing.listingAmenities,
    listingBedTypes: listing.listingBedTypes,
    listingImages: shownImages(listing, nowMs),
    listingUnits: Array.from({ length: units ?? 0 }, (_, index) => ({ id: id * 1000 + index })),
  }
}

export function shownImages({ listingImages }: Listing, nowMs: number) {
  return listingImages
    .filter(({ readyAtMs }) => readyAtMs <= nowMs)
    .sort((one, other) => one.sortOrder - other.sortOrder)
    .map(({ readyAtMs, ...image }) => image)
}

function named(names: string, check: Checks[string]): Checks {
  return Object.fromEntries(names.split(' ').map((name) => [name, check]))
}

function countryOf(code: unknown) {
  if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code)) return null
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? null
}
